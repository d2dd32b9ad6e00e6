// Where the ray meets the sphere of its square, and its value there. Colours are in linear light as in surface.frag.
// MAPPED: there are values. SHELLS: several for each sphere, at the middles of shells of equal thickness, linear between.
// MASKED: some are missing. OPEN: a corner is cut out of each sphere. LIT, GLOSS: shade and shine.
#version 120
uniform sampler2D u_values;
uniform sampler2D u_lut;
uniform vec2 u_size;           // of the texture of values
uniform float u_shells;
uniform vec3 u_missing;
uniform vec3 u_plain;          // linear light
uniform vec3 u_first;          // the planes that bound the corner, in the eye's space: it lies where all three dot
uniform vec3 u_second;         // products with a place from the centre are positive
uniform vec3 u_third;
uniform float u_lit;           // how much light and shade, 0..1
uniform float u_cut_lit;       // the same on what was cut
uniform float u_gloss;
varying vec3 v_place;
varying vec3 v_ray;
varying vec2 v_texel;
varying float v_shade;
#include "light.glsl"
#include "place.glsl"

vec2 value_at(float shell) {
    float value = texture2D(u_values, vec2(v_texel.x + shell, v_texel.y) / u_size).r;
#ifdef MASKED
    return value < 1.0e38 ? vec2(value, 1.0) : vec2(0.0);
#else
    return vec2(value, 1.0);
#endif
}

void main() {
    vec3 ray = normalize(v_ray);
    float middle = -dot(v_place, ray);
    float under = middle * middle - dot(v_place, v_place) + 1.0;
    if (under < 0.0) discard;
    vec3 place = v_place + (middle - sqrt(under)) * ray;
    vec3 normal = place;
    float lit = u_lit;
    float gloss = u_gloss;
    float radius = 1.0;
#ifdef OPEN
    vec3 inside = vec3(dot(u_first, place), dot(u_second, place), dot(u_third, place));
    if (min(inside.x, min(inside.y, inside.z)) > 0.0) {
        // The ray leaves the corner through the plane that it reaches first.
        vec3 towards = vec3(dot(u_first, ray), dot(u_second, ray), dot(u_third, ray));
        vec3 away = inside / max(-towards, vec3(1.0e-6));
        float nearest = min(away.x, min(away.y, away.z));
        place += nearest * ray;
        radius = length(place);
        if (radius > 1.0) discard;
        normal = nearest == away.x ? u_first : nearest == away.y ? u_second : u_third;
        lit = u_cut_lit;
        gloss = 0.0;
    }
#endif
    vec3 base = u_plain;
#ifdef MAPPED
#ifdef SHELLS
    float shell = clamp(radius * u_shells - 0.5, 0.0, u_shells - 1.0);
    float below = floor(shell);
    vec2 met = mix(value_at(below), value_at(min(below + 1.0, u_shells - 1.0)), shell - below);
#else
    vec2 met = value_at(0.0);
#endif
    float share = clamp(place_of(met.x / max(met.y, 1.0e-6)), 0.0, 1.0);
    base = texture2D(u_lut, vec2((share * 255.0 + 0.5) / 256.0, 0.5)).rgb;
#ifdef MASKED
    base = mix(u_missing, base, met.y);
#endif
    base *= base;
#endif
    vec3 colour = base;
#ifdef LIT
    vec3 towards_eye = -ray;
    float facing = max(dot(normal, towards_eye), 0.0);
    vec3 shine = rim_of(normal, facing);
#ifdef GLOSS
    shine += vec3(gloss) * gloss_of(normal, towards_eye);
#endif
    colour = mix(1.0, v_shade, u_lit) * (base * mix(vec3(1.0), light_on(normal, facing), lit) + lit * shine);
#endif
    gl_FragColor = vec4(sqrt(clamp(colour, 0.0, 1.0)), 1.0);
}
