//! Texture geometries, and the roles of the elements of their coordinate vectors.

words! {
    /// Geometry of a texture or surface instruction (PTX `.geom`).
    #[derive(Default)]
    Geometry {
        #[default] D1 = "1d", D2 = "2d", D3 = "3d", A1d = "a1d", A2d = "a2d",
        Cube = "cube", Acube = "acube", D2ms = "2dms", A2dms = "a2dms",
    }
}

words! {
    /// The role of an element of a coordinate vector.
    Element {
        /// Index of a layer, or of a cube in a cube array: always an integer.
        Layer = "layer",
        /// Index of a sample: always an integer.
        Sample = "sample",
        /// Coordinate along x, in the coordinate type.
        X = "x",
        /// Coordinate along y, in the coordinate type.
        Y = "y",
        /// Coordinate along z, in the coordinate type.
        Z = "z",
    }
}

impl Element {
    /// Whether the element is an integer for every coordinate type.
    pub const fn is_index(self) -> bool {
        matches!(self, Self::Layer | Self::Sample)
    }
}

/// A word that is not the name of a geometry.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnknownGeometry(pub String);

impl std::fmt::Display for UnknownGeometry {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let all: Vec<&str> = Geometry::ALL.iter().map(|geometry| geometry.name()).collect();
        write!(f, "expected {}, found `{}`", all.join(", "), self.0)
    }
}

impl std::error::Error for UnknownGeometry {}

impl std::str::FromStr for Geometry {
    type Err = UnknownGeometry;

    fn from_str(word: &str) -> Result<Self, UnknownGeometry> {
        Self::from_name(word).ok_or_else(|| UnknownGeometry(word.to_owned()))
    }
}

impl Geometry {
    /// Classifies an array by the width, height and depth in its descriptor
    /// (`CUDA_ARRAY3D_DESCRIPTOR`), and returns its geometry and its number of layers or cubes. A
    /// descriptor has 0 for an axis that the array lacks, and the number of layers or cube faces as
    /// the depth.
    ///
    /// # Errors
    /// The rule that the sizes break, as a sentence with the sizes.
    pub fn of_array(
        [width, height, depth]: [usize; 3],
        is_layered: bool,
        is_cube: bool,
    ) -> Result<(Self, usize), String> {
        let rule = match (is_cube, is_layered, height, depth) {
            _ if width == 0 => "an array has at least one element",
            (true, false, 1.., 6) => return Ok((Self::Cube, 1)),
            (true, true, 1.., 6..) if depth.is_multiple_of(6) => {
                return Ok((Self::Acube, depth / 6));
            }
            (true, false, ..) => "a cubemap has a Height, and its 6 faces as Depth",
            (true, true, ..) => "cubemaps have a Height, and 6 faces each as Depth",
            (false, true, 0, 1..) => return Ok((Self::A1d, depth)),
            (false, true, 1.., 1..) => return Ok((Self::A2d, depth)),
            (false, false, 0, 0) => return Ok((Self::D1, 1)),
            (false, false, 1.., 0) => return Ok((Self::D2, 1)),
            (false, false, 1.., 1..) => return Ok((Self::D3, 1)),
            (false, true, _, 0) => "a layered array has its layers as Depth",
            (false, false, 0, 1..) => "an array of one axis has no Depth, unless it is layered",
        };
        Err(format!("Width {width}, Height {height}, Depth {depth}: {rule}"))
    }

    /// Elements of the coordinate vector in its order. Instructions may be written with more
    /// elements, which are ignored. The order for `.a2dms` is that of ptxas (docs/numerics.md 9.5).
    pub const fn elements(self) -> &'static [Element] {
        use Element::{Layer, Sample, X, Y, Z};
        match self {
            Self::D1 => &[X],
            Self::D2 => &[X, Y],
            Self::D3 | Self::Cube => &[X, Y, Z],
            Self::A1d => &[Layer, X],
            Self::A2d => &[Layer, X, Y],
            Self::Acube => &[Layer, X, Y, Z],
            Self::D2ms => &[Sample, X, Y],
            Self::A2dms => &[Sample, Layer, X, Y],
        }
    }

    /// Number of elements of the coordinate vector, including layer and sample.
    pub const fn coordinates(self) -> usize {
        self.elements().len()
    }

    /// The geometry with this number of axes (2 for cubes; more than 3 count as 3), with layers, or
    /// of cubes. There are no layered 3D textures, so 3 axes with layers give layered 2D.
    pub const fn of(axes: usize, layered: bool, cube: bool) -> Self {
        match (cube, layered, axes) {
            (true, false, _) => Self::Cube,
            (true, true, _) => Self::Acube,
            (false, true, 1) => Self::A1d,
            (false, true, _) => Self::A2d,
            (false, false, 1) => Self::D1,
            (false, false, 2) => Self::D2,
            (false, false, _) => Self::D3,
        }
    }

    /// The geometry of arrays whose layers have this geometry: `.a1d` for `.1d`, `.a2d` for `.2d`.
    pub const fn layered(self) -> Option<Self> {
        match self {
            Self::D1 => Some(Self::A1d),
            Self::D2 => Some(Self::A2d),
            _ => None,
        }
    }

    /// Number of axes of a layer, face or sample plane, which is also the number of elements of an
    /// offset: 1, 2 or 3.
    pub const fn axes(self) -> usize {
        match self {
            Self::D1 | Self::A1d => 1,
            Self::D3 => 3,
            _ => 2,
        }
    }

    /// Number of elements of the point, and of `dPdx` and `dPdy`: one per axis, or three for a
    /// direction.
    pub const fn gradients(self) -> usize {
        if self.is_cube() { 3 } else { self.axes() }
    }

    /// Whether one coordinate is a layer index.
    pub const fn is_array(self) -> bool {
        matches!(self, Self::A1d | Self::A2d | Self::Acube | Self::A2dms)
    }

    /// Whether the coordinates are a direction.
    pub const fn is_cube(self) -> bool {
        matches!(self, Self::Cube | Self::Acube)
    }

    /// Whether one coordinate is a sample index.
    pub const fn is_multisample(self) -> bool {
        matches!(self, Self::D2ms | Self::A2dms)
    }
}

/// The coordinates of an instruction by their roles. Roles that its geometry lacks are ignored.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Coordinates<T> {
    /// Layer; for a cube array, the cube.
    pub layer: T,
    /// Sample of a multi-sample texture.
    pub sample: T,
    /// x, y, z of the point; for a cube map, the direction.
    pub point: [T; 3],
}

impl<T> Coordinates<T> {
    /// A point, with `none` as layer and sample.
    pub fn at(point: [T; 3], none: T) -> Self
    where
        T: Clone,
    {
        Self { layer: none.clone(), sample: none, point }
    }

    /// Splits a coordinate vector by the order of the geometry. Roles that the geometry or the
    /// vector lacks are `none`; additional elements are ignored.
    pub fn of(geometry: Geometry, vector: impl IntoIterator<Item = T>, none: T) -> Self
    where
        T: Clone,
    {
        let point = [none.clone(), none.clone(), none.clone()];
        let mut coordinates = Self::at(point, none);
        for (&element, value) in geometry.elements().iter().zip(vector) {
            *coordinates.get_mut(element) = value;
        }
        coordinates
    }

    /// The elements of the coordinate vector, in the order of the geometry.
    pub fn vector(&self, geometry: Geometry) -> impl ExactSizeIterator<Item = &T> {
        geometry.elements().iter().map(|&element| self.get(element))
    }

    /// The coordinate vector, padded with the type's default value to `N` elements.
    pub fn padded<const N: usize>(&self, geometry: Geometry) -> [T; N]
    where
        T: Copy + Default,
    {
        let mut vector = self.vector(geometry);
        std::array::from_fn(|_| vector.next().copied().unwrap_or_default())
    }

    /// The coordinate with a role.
    pub fn get(&self, element: Element) -> &T {
        match element {
            Element::Layer => &self.layer,
            Element::Sample => &self.sample,
            Element::X => &self.point[0],
            Element::Y => &self.point[1],
            Element::Z => &self.point[2],
        }
    }

    /// The coordinate with a role, for modification.
    pub fn get_mut(&mut self, element: Element) -> &mut T {
        match element {
            Element::Layer => &mut self.layer,
            Element::Sample => &mut self.sample,
            Element::X => &mut self.point[0],
            Element::Y => &mut self.point[1],
            Element::Z => &mut self.point[2],
        }
    }

    /// Applies a function to each coordinate.
    #[inline(always)]
    pub fn map<U>(self, mut f: impl FnMut(T) -> U) -> Coordinates<U> {
        let Self { layer, sample, point: [x, y, z] } = self;
        Coordinates { layer: f(layer), sample: f(sample), point: [f(x), f(y), f(z)] }
    }

    /// References to all coordinates.
    #[inline(always)]
    pub fn each_ref(&self) -> Coordinates<&T> {
        let Self { layer, sample, point } = self;
        Coordinates { layer, sample, point: point.each_ref() }
    }
}

/// Iterates over all five coordinates: layer, sample, x, y, z.
impl<'a, T> IntoIterator for &'a Coordinates<T> {
    type Item = &'a T;
    type IntoIter = std::array::IntoIter<&'a T, 5>;

    fn into_iter(self) -> Self::IntoIter {
        let [x, y, z] = &self.point;
        [&self.layer, &self.sample, x, y, z].into_iter()
    }
}

/// Iterates mutably over all five coordinates: layer, sample, x, y, z.
impl<'a, T> IntoIterator for &'a mut Coordinates<T> {
    type Item = &'a mut T;
    type IntoIter = std::array::IntoIter<&'a mut T, 5>;

    fn into_iter(self) -> Self::IntoIter {
        let [x, y, z] = &mut self.point;
        [&mut self.layer, &mut self.sample, x, y, z].into_iter()
    }
}
