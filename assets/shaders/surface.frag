// Colour map, front, isochrones and light. Colours are squared into nearly linear light and rooted back (gamma 2).
// What is not needed is left out by the preprocessor: software renderers run both sides of an `if`.
// MAPPED: colour map instead of region colours. LIT, GLOSS: shade and shine. CLIP: the clipping plane.
// FRONT: the glowing band. FRONT_MASKS: the field is the front's own time, so ahead of it there is none.
// BOTH_SIDES: lit from whichever side it is seen. GLASS: one sees through, least straight on.
// CYCLIC: an angle, once round the colour map.
// ISOCHRONES: lines of equal value, dark on light colours and light on dark ones.
#version 120
uniform sampler2D u_lut;
uniform vec3 u_missing;
uniform vec3 u_front_colour;   // linear light
uniform float u_front_width;
uniform float u_time;
uniform float u_isochrone;     // spacing of the lines
uniform float u_stroke;        // half their width in pixels
uniform float u_lit;           // how much light and shade, 0..1
uniform float u_gloss;
uniform float u_glass;         // how opaque, seen straight on
varying vec3 v_position;
varying vec3 v_normal;
varying vec3 v_colour;
varying vec2 v_value;
varying float v_age;
varying float v_contour;       // the value, smoothed: lines without the mesh's jitter
varying float v_clip;
#include "light.glsl"
#include "place.glsl"

void main() {
#ifdef CLIP
    if (v_clip > 0.0) discard;
#endif
    vec3 base = v_colour;
#ifdef MAPPED
#ifdef CYCLIC
    float place = fract(atan(v_value.y, v_value.x) / 6.28318531);
    float known = step(0.01, dot(v_value, v_value));
#else
    float value = v_value.x / max(v_value.y, 1.0e-6);
    float place = clamp(place_of(value), 0.0, 1.0);
    float known = step(0.5, v_value.y);
#endif
    vec3 mapped = texture2D(u_lut, vec2((place * 255.0 + 0.5) / 256.0, 0.5)).rgb;
#ifdef FRONT_MASKS
    known = step(1.0e-4, v_value.y) * step(0.0, v_age);
#endif
    base = mix(u_missing, mapped, known);
    base *= base;
#ifdef ISOCHRONES
#ifdef FRONT_MASKS
    float lines = (u_time - v_age) / u_isochrone; // these times are smoothed too
#else
    float lines = v_contour / u_isochrone;
    // Where the time jumps, from one beat to the next, it is no smooth one: no lines of the way in between.
    known *= 1.0 - smoothstep(0.25, 0.5, abs(v_contour - value) / u_isochrone);
#endif
    float blur = max(fwidth(lines), 1.0e-6);
    float away = abs(fract(lines + 0.5) - 0.5) / blur;
    float line = 1.0 - smoothstep(u_stroke - 0.5, u_stroke + 0.5, away);
    line *= (1.0 - smoothstep(0.15, 0.4, blur * u_stroke)) * known; // none where they would touch
    float bright = dot(base, vec3(0.25, 0.65, 0.1));
    base = mix(base, bright < 0.06 ? 0.55 * base + 0.3 : 0.12 * base, 0.85 * line);
#endif
#endif
    vec3 light = vec3(1.0);
    vec3 colour = base;
#ifdef LIT
    vec3 normal = normalize(v_normal);
    vec3 towards = normalize(-v_position);
#ifdef BOTH_SIDES
    normal *= dot(normal, towards) < 0.0 ? -1.0 : 1.0;
#endif
    float facing = max(dot(normal, towards), 0.0);
    light = light_on(normal, facing);
    vec3 shine = rim_of(normal, facing);
#ifdef GLOSS
    shine += vec3(u_gloss) * gloss_of(normal, towards);
#endif
    colour = base * mix(vec3(1.0), light, u_lit) + u_lit * shine;
#endif
#ifdef FRONT
    float there = 1.0;
#if defined(MAPPED) && !defined(FRONT_MASKS)
    there = known; // no front runs where the field has no value (scar)
#endif
    float spread = max(fwidth(v_age), 1.0e-6);
    float age = v_age / u_front_width;
    float leading = smoothstep(-0.75 * spread, 0.75 * spread, v_age);
    float tail = clamp(1.0 - age, 0.0, 1.0);
    float glow = leading * tail * tail * (3.0 - 2.0 * tail);
    colour = mix(colour, u_front_colour * (0.8 + 0.2 * light), 0.88 * there * glow);
    // The very edge: a thin bright line, as on a contour map.
    float rim = 1.0 - smoothstep(0.6, 1.6, abs(v_age - 0.8 * spread) / spread);
    colour = mix(colour, vec3(1.0), 0.75 * there * rim * (1.0 - smoothstep(0.15, 0.5, spread / u_front_width)));
#endif
    float alpha = 1.0;
#ifdef GLASS
    alpha = u_glass;
#ifdef LIT
    float aslant = 1.0 - facing;
    alpha = mix(u_glass, max(u_glass, 0.8), aslant * aslant * u_lit);
#endif
#endif
    gl_FragColor = vec4(sqrt(clamp(colour, 0.0, 1.0)), 1.0) * alpha;
}
