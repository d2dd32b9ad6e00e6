// Lines in space, some pixels wide, that what is before them hides. What is behind the eye is cut off.
#version 120
attribute vec3 a_from;
attribute vec3 a_to;
attribute vec2 a_corner;       // 0..1 along, -1..1 across
uniform mat4 u_view;
uniform mat4 u_projection;
uniform vec2 u_size;           // of the target
uniform float u_radius;        // in its pixels
uniform float u_near;
varying float v_across;        // pixels from the middle

void main() {
    vec4 from = u_projection * (u_view * vec4(a_from, 1.0));
    vec4 to = u_projection * (u_view * vec4(a_to, 1.0));
    if (from.w < u_near && to.w > u_near) from = mix(to, from, (to.w - u_near) / (to.w - from.w));
    if (to.w < u_near && from.w > u_near) to = mix(from, to, (from.w - u_near) / (from.w - to.w));
    vec2 along = (to.xy / to.w - from.xy / from.w) * u_size;
    float stretch = length(along);
    along = stretch > 1.0e-4 ? along / stretch : vec2(1.0, 0.0);
    vec4 at = mix(from, to, a_corner.x);
    v_across = a_corner.y * (u_radius + 1.0);
    at.xy += vec2(-along.y, along.x) * v_across * 2.0 / u_size * at.w;
    at.z -= 2.0e-4 * at.w;     // an edge wins over the sheet that it belongs to
    gl_Position = at;
}
