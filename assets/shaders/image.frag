// Samples as squares of even colour whose borders are smoothed over one pixel; smaller than pixels they are averaged.
// MAPPED: there are values. MASKED: some of them are missing, so they are read one by one. STEPPED: they are names, and
// nothing lies between two of them. CONTOURS: lines of equal value, of values that are linear between samples.
#version 120
uniform sampler2D u_values;
uniform sampler2D u_lut;
uniform vec2 u_size;           // of the texture, in samples
uniform vec3 u_missing;
uniform vec3 u_plain;
uniform float u_contour;       // spacing of the lines
uniform float u_stroke;        // half their width in pixels
varying vec2 v_texel;
#include "place.glsl"

vec2 one(vec2 at) {
    float value = texture2D(u_values, (clamp(at, vec2(0.0), u_size - 1.0) + 0.5) / u_size).r;
    return value < 1.0e38 ? vec2(value, 1.0) : vec2(0.0);
}

vec2 between(vec2 low, vec2 part) {
    vec2 bottom = mix(one(low), one(low + vec2(1.0, 0.0)), part.x);
    vec2 top = mix(one(low + vec2(0.0, 1.0)), one(low + vec2(1.0, 1.0)), part.x);
    return mix(bottom, top, part.y);
}

void main() {
#ifdef MAPPED
    vec2 width = max(fwidth(v_texel), vec2(1.0e-6));
    vec2 low = floor(v_texel - 0.5);
    vec2 part = clamp((v_texel - low - 1.0) / width + 0.5, 0.0, 1.0);
#ifdef STEPPED
    part = step(vec2(0.5), part);
#endif
#ifdef MASKED
    vec2 met = between(low, part);
    float value = met.x / max(met.y, 1.0e-6);
    float known = met.y;
#else
    float value = texture2D(u_values, (low + 0.5 + part) / u_size).r;
    float known = 1.0;
#endif
    float place = clamp(place_of(value), 0.0, 1.0);
    vec3 mapped = texture2D(u_lut, vec2((place * 255.0 + 0.5) / 256.0, 0.5)).rgb;
#ifdef CONTOURS
    vec2 smoothly = between(low, fract(v_texel - 0.5));
    float lines = smoothly.x / u_contour;
    float blur = max(fwidth(lines), 1.0e-6);
    float line = 1.0 - smoothstep(u_stroke - 0.5, u_stroke + 0.5, abs(fract(lines + 0.5) - 0.5) / blur);
    // none where they would touch, and none where all is of one value
    line *= (1.0 - smoothstep(0.15, 0.4, blur * u_stroke)) * step(0.999, smoothly.y) * step(2.0e-5, fwidth(lines));
    float bright = dot(mapped, vec3(0.25, 0.65, 0.1));
    mapped = mix(mapped, bright < 0.3 ? 0.5 * mapped + 0.5 : 0.35 * mapped, 0.8 * line);
#endif
    gl_FragColor = vec4(mix(u_missing, mapped, known), 1.0);
#else
    gl_FragColor = vec4(u_plain, 1.0);
#endif
}
