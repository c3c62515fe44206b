// The messages between the page and its worker, and the JSON of crates/faces/web.

/** Keys of a link with their values. */
export type Keys = Record<string, string>;

/** Why a request failed. */
export interface Refusal {
  message: string;
  key?: string | null;
  help?: string | null;
}

export interface Step {
  rule: string;
  text: string;
}

export interface Axis {
  coordinate: string;
  texels: number;
  index: number;
  upper: number;
  exact: number;
  mode: string | null;
}

export interface Place {
  level: number;
  plane: number;
  sample: number;
  at: [number, number, number];
}

export interface Texel {
  corner: [number, number, number];
  index: [number, number, number];
  at: Place | null;
  codes: number[];
  values: string[];
  weight: number;
  exact: number;
  resident: boolean;
  compared: boolean | null;
}

export interface Footprint {
  level: number;
  extent: [number, number, number];
  plane: number;
  sample: number;
  tap: number;
  tap_weight: number;
  share: number;
  axes: Axis[];
  texels: Texel[];
}

/** What `texunit explain --format json` says of a fetch. */
export interface FetchExplanation {
  instruction: string;
  operands: {
    coords: string[];
    level: string | null;
    dpdx: string[] | null;
    dpdy: string[] | null;
    offset: number[] | null;
    compare: string | null;
  };
  texture: string;
  sampler: {
    coords: string;
    filter: string;
    mip_filter: string | null;
    address_mode: string[] | null;
    level_clamp: [number, number];
    max_anisotropy: number;
    srgb: boolean;
    seamless_cube: boolean;
    compare: string | null;
  };
  overrides: Step[];
  cube: {
    direction: [string, string, string];
    face: number;
    face_name: string;
    sc: number;
    tc: number;
    ma: number;
    s: string;
    t: string;
  } | null;
  level: { q: number; steps: Step[]; levels: { level: number; share: number }[] };
  footprints: Footprint[];
  channels: { steps: Step[]; result: string }[];
  result: string[];
  resident: boolean;
  known: { from: string; values: string[]; resident: boolean | null; agrees: boolean | null } | null;
}

/** What it says of a surface access. */
export interface SurfaceExplanation {
  instruction: string;
  surface: string;
  layer: number;
  at: number[];
  byte_x: number;
  size: number;
  policy: string;
  outcome: "made" | "not_resident" | "dropped" | "outside" | "misaligned";
  place: { layer: number; x: number; y: number; z: number; moved: boolean; offset: number } | null;
  fault: string | null;
  elements: string[];
  codes: number[] | null;
  before: string | null;
  after: string | null;
}

export interface TextureInfo {
  describe: string;
  geometry: string;
  format: string;
  levels: [number, number, number][];
  planes: number;
  layers: number;
  samples: number;
  texel_size: number;
  mipmapped: boolean;
  normalized: boolean;
  axes: number;
}

export interface Written {
  at: string;
  lod: string | null;
  dpdx: string | null;
  dpdy: string | null;
  offset: string | null;
  compare: string | null;
  value: string | null;
}

interface ExplainBase {
  op: string;
  written: Written;
  ptx: string;
  command: string;
  texture: TextureInfo;
  exact: (number | null)[] | null;
}
export type Explained =
  | (ExplainBase & { kind: "fetch"; explanation: FetchExplanation })
  | (ExplainBase & { kind: "surface"; explanation: SurfaceExplanation });

export interface PictureInfo {
  width: number;
  height: number;
  texels: [number, number, number];
  step: number;
  scale: [number, number] | null;
}

export interface Geometry {
  name: string;
  axes: number;
  elements: string[];
  gradients: number;
}

export interface Words {
  textures: { name: string; about: string; geometry: string }[];
  formats: { name: string; plain: boolean }[];
  geometries: Geometry[];
  address: string[];
  filter: string[];
  compare: string[];
  read: string[];
  archs: string[];
}

/** A diagnostic of texunit, with the text that it is about: `ptx` or `job`. */
export interface Problem {
  file: string | null;
  line?: number | null;
  column?: number | null;
  end_line?: number | null;
  end_column?: number | null;
  severity: string;
  code?: string | null;
  message: string;
  label?: string;
  help?: string | null;
}

export interface Output {
  param: string;
  file: string;
  format: string | null;
  extent: [number, number, number] | null;
  bytes: number;
}

export interface Started {
  problems?: Problem[];
  kernel?: string;
  grid?: [number, number, number];
  block?: [number, number, number];
  ctas?: number;
  cooperative?: boolean;
  outputs?: Output[];
  warnings?: Problem[];
}

export interface Stats {
  warp_instructions: number;
  thread_instructions: number;
  fetches: number;
  surface_accesses: number;
  printf: string;
}

export interface Progress {
  done: number;
  total: number;
  stats: Stats | null;
  fault: { problems: Problem[]; thread?: [number, number, number] } | null;
}

export interface OutputPicture {
  width: number;
  height: number;
  depth: number;
  scale: [number, number] | null;
  format: string;
  values: number[][];
}

export type What =
  | { kind: "fetch"; subject: number; texture: TextureInfo; explanation: FetchExplanation }
  | { kind: "surface"; explanation: SurfaceExplanation }
  | { kind: "none"; error: string };

export interface Pixel {
  thread: [number, number, number] | null;
  cta?: number;
  accesses: {
    line: number;
    text: string;
    source: { file: string; line: number } | null;
    what: What;
  }[];
  more: number;
  fault?: boolean;
}

export interface Field {
  name: string;
  low: number;
  width: number;
  kind: "register" | "predicate" | "flag" | "number" | "coordinates" | "opcode";
  value: number;
  max: number;
  shown: string;
  names: string[] | null;
  since: string;
  meaning: string;
}

export interface TxdWord {
  word: string;
  control: string;
  is_txd: boolean;
  other: string | null;
  text: string | null;
  isa: string | null;
  fields: Field[];
  control_fields: Field[];
  diagnostics: Problem[];
}

export interface Executed {
  registers: { name: string; lanes: { lane: number; bits: string; value: string }[] }[];
  predicate: { name: string; lanes: string } | null;
  lanes: number[];
  invalid: number[];
  missing: number[];
  explained: Extract<What, { kind: "fetch" }> & { header: number; sampler: number } | null;
}

export interface TxdAsked {
  arch: string;
  word?: string;
  control?: string;
  text?: string;
  fields?: Record<string, number>;
}

/** Methods of a session: parameters and answers. Any of them may answer `{ error }` instead. */
export interface Methods {
  file: { asks: { name: string }; gives: { name: string; bytes: number; kind: string; help?: string } };
  explain: { asks: { keys: Keys }; gives: Explained };
  svg: { asks: { keys: Keys }; gives: { svg: string; text: string } };
  source: { asks: { keys: Keys }; gives: { name: string; arguments: string[] } };
  picture: {
    asks: { keys?: Keys; subject?: number; level: number; plane: number; z: number; sample: number };
    gives: PictureInfo;
  };
  area: {
    asks: { keys: Keys; rect: number[]; size: [number, number]; rows: [number, number] };
    gives: { rows: [number, number]; width: number };
  };
  ptx: { asks: { text: string }; gives: { keys: Record<string, string | null> } };
  words: { asks: object; gives: Words };
  lsp: { asks: { message: string }; gives: { messages: string[] } };
  hold: { asks: { name: string; fresh: boolean }; gives: object };
  start: { asks: { job: string; ptx: string }; gives: Started };
  run: { asks: { ctas: number }; gives: Progress };
  output: { asks: { output: number; z: number; file: boolean }; gives: OutputPicture & { name?: string } };
  pixel: { asks: { output: number; at: [number, number, number] }; gives: Pixel };
  txd: { asks: TxdAsked; gives: TxdWord };
  execute: { asks: TxdAsked & { state: string; lane: number }; gives: Executed };
}
export type Method = keyof Methods;

/** From the page to the worker. */
export type ToWorker =
  | { kind: "begin"; simd: boolean; base: string }
  | { kind: "ask"; id: number; method: Method; parameters: object; bytes?: Uint8Array }
  /** For tests: a panic in the worker. */
  | { kind: "panic" };

/** From the worker to the page. */
export type FromWorker =
  | { kind: "ready" }
  | { kind: "answer"; id: number; json: string; bytes: Uint8Array; ms: number }
  /** The WebAssembly has trapped: nothing more comes from this worker. */
  | { kind: "dead"; message: string };
