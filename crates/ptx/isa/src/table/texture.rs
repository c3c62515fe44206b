//! Table rows of texture (9.7.10) and surface instructions (9.7.11). Version and target are the
//! lowest of the forms that a row stands for; operands and requirements of each form are in
//! [`crate::texture`]. Where ptxas differs from the PTX ISA, the rows follow ptxas as measured.

super::rows! { ROWS:
    Tex "^mip:base|level|grad? geom:1d|2d|3d|a1d|a2d|cube|acube|2dms|a2dms hint:uni? vec:v4 ty:u32|s32|f32 ty:s32|f32", "@tex", 10, 0, "9.7.10.3", "texture fetch";
    Tex "^mip:base|level|grad? geom:1d|2d|3d|a1d|a2d|cube|acube|2dms|a2dms hint:uni? vec:v4 ty:f16 ty:s32|f32", "@tex", 42, 53, "9.7.10.3", "texture fetch of halves";
    Tex "^mip:base|level|grad? geom:1d|2d|3d|a1d|a2d|cube|acube|2dms|a2dms hint:uni? vec:v2 ty:f16x2 ty:s32|f32", "@tex", 42, 53, "9.7.10.3", "texture fetch of pairs of halves";
    Tld4 "comp:r|g|b|a geom:2d|a2d|cube|acube hint:uni? vec:v4 ty:u32|s32|f32 ty:f32", "@tld4", 22, 20, "9.7.10.4", "one component of the four texels of a footprint";
    Txq "query:width|height|depth|channel_data_type|channel_order|normalized_coords|array_size|num_mipmap_levels|num_samples|force_unnormalized_coords|filter_mode|addr_mode_0|addr_mode_1|addr_mode_2|memory_layout ty:b32", "@txq", 15, 0, "9.7.10.5", "attribute of a texture or sampler";
    Txq "^mip:level query:width|height|depth ty:b32", "@txq", 43, 30, "9.7.10.5", "size of a level";
    Istypep "ty:texref|samplerref|surfref", "@istypep", 40, 30, "9.7.10.6", "kind of a handle";
    Suld "^surf:b geom:SGEOM hint:ca|cg|cs|cv? vec:v2|v4? ty:b8|b16|b32 clamp:CLAMP", "@suld", 15, 0, "9.7.11.1", "load of bytes of a surface";
    Suld "^surf:b geom:SGEOM hint:ca|cg|cs|cv? vec:v2? ty:b64 clamp:CLAMP", "@suld", 15, 0, "9.7.11.1", "load of bytes of a surface";
    Sust "^surf:b geom:SGEOM hint:wb|cg|cs|wt? vec:v2|v4? ty:b8|b16|b32 clamp:CLAMP", "@sust", 15, 0, "9.7.11.2", "store of bytes to a surface";
    Sust "^surf:b geom:SGEOM hint:wb|cg|cs|wt? vec:v2? ty:b64 clamp:CLAMP", "@sust", 15, 0, "9.7.11.2", "store of bytes to a surface";
    Sust "^surf:p geom:SGEOM hint:wb|cg|cs|wt? vec:v2|v4? ty:b32 clamp:CLAMP", "@sust", 20, 20, "9.7.11.2", "store of a sample";
    Sured "^surf:b reduce:add geom:1d|2d|3d ty:u32|s32|u64 clamp:CLAMP", "@sured", 20, 20, "9.7.11.3", "sum into bytes of a surface";
    Sured "^surf:b reduce:min|max geom:1d|2d|3d ty:u32|s32 clamp:CLAMP", "@sured", 20, 20, "9.7.11.3", "minimum, maximum of bytes of a surface";
    Sured "^surf:b reduce:min|max geom:1d|2d|3d ty:u64|s64 clamp:CLAMP", "@sured", 81, 50, "9.7.11.3", "minimum, maximum of bytes of a surface";
    Sured "^surf:b reduce:and|or geom:1d|2d|3d ty:b32 clamp:CLAMP", "@sured", 20, 20, "9.7.11.3", "logic on bytes of a surface";
    Sured "^surf:p reduce:add|and|or|min|max geom:1d|2d|3d ty:b32 clamp:CLAMP", "@sured", 20, 20, "9.7.11.3", "operation on a sample";
    Sured "^surf:p reduce:min|max geom:1d|2d|3d ty:b64 clamp:CLAMP", "@sured", 81, 50, "9.7.11.3", "minimum, maximum of a sample";
    Suq "query:width|height|depth|channel_data_type|channel_order|array_size|memory_layout ty:b32", "@suq", 15, 0, "9.7.11.4", "attribute of a surface";
}
