// Faces of the squares or cubes of a lattice, each moved as a whole: four corners for each. A texel of u_told holds how
// far a particle has gone, and its value.
// DEEP: faces of cubes, which are lit; otherwise squares in the plane of x and y.
#version 120
attribute vec3 a_centre;
attribute vec3 a_corner;       // -1..1 on the face, and which: 0..2 across an axis towards the eye, 3..8 at -x, +x, -y, ...
attribute float a_number;      // of the particle
attribute float a_shade;       // the part of the light that reaches it
uniform mat4 u_view;
uniform mat4 u_projection;
uniform sampler2D u_told;
uniform vec2 u_size;           // of that texture
uniform vec3 u_eye;
uniform float u_half;          // of a side
uniform float u_deformation;   // how many times the displacement is drawn
varying float v_value;
varying vec3 v_normal;         // in the eye's space
varying vec3 v_at;
varying float v_shade;

void main() {
    float row = floor((a_number + 0.5) / u_size.x);
    vec4 told = texture2D(u_told, (vec2(a_number - row * u_size.x, row) + 0.5) / u_size);
    vec3 centre = a_centre + u_deformation * told.rgb;
    v_value = told.a;
    v_shade = a_shade;
#ifdef DEEP
    float own = floor((a_corner.z - 3.0) / 2.0 + 0.1);     // axis of a face that has a side of its own
    float axis = a_corner.z < 2.5 ? a_corner.z : own;
    vec3 across = axis < 0.5 ? vec3(1.0, 0.0, 0.0) : axis < 1.5 ? vec3(0.0, 1.0, 0.0) : vec3(0.0, 0.0, 1.0);
    float facing = dot(u_eye - centre, across);
    float side = facing < 0.0 ? -1.0 : 1.0;
    if (a_corner.z > 2.5) side = 2.0 * (a_corner.z - 3.0 - 2.0 * own) - 1.0;
    vec3 corner = side * across + a_corner.x * across.yzx + a_corner.y * across.zxy;
    v_normal = (u_view * vec4(side * across, 0.0)).xyz;
#else
    vec3 corner = vec3(a_corner.xy, 0.0);
    v_normal = vec3(0.0, 0.0, 1.0);
#endif
    vec4 at = u_view * vec4(centre + u_half * corner, 1.0);
    v_at = at.xyz;
    gl_Position = u_projection * at;
#ifdef DEEP
    if (side * facing < u_half) gl_Position = vec4(0.0, 0.0, 2.0, 1.0);  // it looks away
#endif
}
