// A flat grid of vertices, lifted by the samples beneath them. Goes with surface.frag.
// MASKED: some values are missing; there the relief is flat.
#version 120
attribute vec2 a_corner;       // 0..1
uniform mat4 u_view;
uniform mat4 u_projection;
uniform vec3 u_origin;
uniform vec2 u_extent;         // along x and y
uniform vec2 u_span;           // columns and rows in full
uniform vec2 u_size;           // of the texture, in samples
uniform vec2 u_step;           // between vertices, in samples
uniform float u_lift;          // height of the highest value
uniform vec3 u_plain;          // linear light
uniform sampler2D u_values;
varying vec3 v_position;
varying vec3 v_normal;
varying vec3 v_colour;
varying vec2 v_value;
varying float v_age;
varying float v_clip;
#include "place.glsl"

vec2 sampled(vec2 texel) {
    float value = texture2D(u_values, texel / u_size).r;
#ifdef MASKED
    return value < 1.0e38 ? vec2(value, 1.0) : vec2(0.0);
#else
    return vec2(value, 1.0);
#endif
}

float height(vec2 texel) {
    vec2 value = sampled(clamp(texel, vec2(0.5), u_size - 0.5));
    return value.y * u_lift * clamp(place_of(value.x), -0.25, 1.25);
}

void main() {
    vec2 texel = a_corner * u_span;
    vec2 apart = 2.0 * u_step * u_extent / u_span;
    float east = height(texel + vec2(u_step.x, 0.0));
    float west = height(texel - vec2(u_step.x, 0.0));
    float north = height(texel + vec2(0.0, u_step.y));
    float south = height(texel - vec2(0.0, u_step.y));
    vec3 normal = vec3((west - east) / apart.x, (south - north) / apart.y, 1.0);
    vec4 eye = u_view * vec4(u_origin + vec3(a_corner * u_extent, height(texel)), 1.0);
    v_position = eye.xyz;
    v_normal = (u_view * vec4(normalize(normal), 0.0)).xyz;
    v_colour = u_plain;
    v_value = sampled(clamp(texel, vec2(0.5), u_size - 0.5));
    v_age = 0.0;
    v_clip = 0.0;
    gl_Position = u_projection * eye;
}
