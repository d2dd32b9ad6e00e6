// Absorption and emission along the ray, front to back (N. Max 1995, "Optical models for direct volume rendering").
// The samples stand in one flat texture, layer by layer: u_tiles columns of u_rows layers each, for OpenGL 2 has no
// entry for textures of three dimensions that every driver offers.
// DIVERGING: both ends of the colour map are opaque and its middle is clear.
#version 120
uniform sampler2D u_values;
uniform sampler2D u_lut;
uniform vec3 u_counts;         // samples along x, y, z
uniform vec3 u_span;           // samples in full: the last of each side may stand for fewer cells
uniform float u_rows;          // layers in a column
uniform float u_tiles;         // columns
uniform vec3 u_eye;            // in the box, which reaches from 0 to 1
uniform vec3 u_sides;          // of the box, the longest 1
uniform float u_density;
varying vec3 v_far;
const int STEPS = 144;
#include "place.glsl"

float layer(vec2 at, float z) {
    float column = floor(z / u_rows);
    vec2 texel = at + vec2(column * u_counts.x, (z - column * u_rows) * u_counts.y);
    return texture2D(u_values, texel / vec2(u_tiles * u_counts.x, u_rows * u_counts.y)).r;
}

float place(vec3 at) {
    vec3 texel = clamp(at * u_span, vec3(0.5), u_counts - 0.5);
    float z = texel.z - 0.5;
    float low = floor(z);
    float value = mix(layer(texel.xy, low), layer(texel.xy, min(low + 1.0, u_counts.z - 1.0)), z - low);
    return clamp(place_of(value), 0.0, 1.0);
}

float opacity(float p) {
#ifdef DIVERGING
    p = abs(2.0 * p - 1.0);
#endif
    return p * p;
}

void main() {
    vec3 direction = v_far - u_eye;
    vec3 to_low = -u_eye / direction;
    vec3 to_high = (1.0 - u_eye) / direction;
    vec3 first = min(to_low, to_high);
    float begin = max(max(first.x, max(first.y, first.z)), 0.0);
    float stride = (1.0 - begin) / float(STEPS);
    float reach = stride * length(direction * u_sides);
    float noise = fract(52.9829189 * fract(dot(gl_FragCoord.xy, vec2(0.06711056, 0.00583715))));
    vec3 light = vec3(0.0);
    float clear = 1.0;
    for (int i = 0; i < STEPS; i++) {
        vec3 at = u_eye + direction * (begin + (float(i) + noise) * stride);
        float p = place(at);
        float kept = exp(-u_density * opacity(p) * reach);
        if (kept < 0.998) {
            // Light from above: what grows more opaque downwards faces it.
            vec3 slope = vec3(opacity(place(at + vec3(0.012, 0.0, 0.0))), opacity(place(at + vec3(0.0, 0.012, 0.0))),
                              opacity(place(at + vec3(0.0, 0.0, 0.012)))) - opacity(p);
            float facing = dot(-slope / (length(slope) + 1.0e-4), vec3(0.30, -0.40, 0.866));
            vec3 colour = texture2D(u_lut, vec2((p * 255.0 + 0.5) / 256.0, 0.5)).rgb;
            light += clear * (1.0 - kept) * colour * (0.90 + 0.20 * facing);
        }
        clear *= kept;
        if (clear < 0.01) break;
    }
    gl_FragColor = vec4(min(light, vec3(1.0)), 1.0 - clear);
}
