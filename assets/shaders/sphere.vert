// Spheres: four corners of a square around each sphere's outline. The square lies in the plane of the circle along which
// the eye's rays touch the sphere. That circle is inside the sphere, so along every ray the squares of spheres that do
// not overlap are in the order of the spheres, and depth need not be written in sphere.frag.
#version 120
attribute vec4 a_sphere;       // centre and radius
attribute float a_corner;      // 4 * the sphere's number + 0..3
attribute float a_shade;       // the part of the light that reaches it
uniform mat4 u_view;
uniform mat4 u_projection;
uniform vec2 u_layout;         // spheres in a row of the texture, values of each
varying vec3 v_place;          // on the square, from the centre, in radii
varying vec3 v_ray;            // from the eye
varying vec2 v_texel;          // of the innermost value
varying float v_shade;

void main() {
    vec3 centre = (u_view * vec4(a_sphere.xyz, 1.0)).xyz;
    float number = floor((a_corner + 0.5) / 4.0);
    float corner = a_corner - 4.0 * number;
    vec2 side = vec2(mod(corner, 2.0), floor(corner / 2.0)) * 2.0 - 1.0;
    float row = floor((number + 0.5) / u_layout.x);
    v_texel = vec2((number - row * u_layout.x) * u_layout.y, row) + 0.5;
    v_shade = a_shade;
    float apart = length(centre);
    float narrow = a_sphere.w / apart;
    vec3 towards = centre / apart;
    vec3 aside = abs(towards.y) < 0.9 ? vec3(0.0, 1.0, 0.0) : vec3(1.0, 0.0, 0.0);
    vec3 right = normalize(cross(towards, aside));
    vec3 up = cross(right, towards);
    v_place = sqrt(max(1.0 - narrow * narrow, 0.0)) * (side.x * right + side.y * up) - narrow * towards;
    v_ray = centre + a_sphere.w * v_place;
    // Nothing is drawn of a sphere that the eye is in.
    gl_Position = narrow < 0.999 ? u_projection * vec4(v_ray, 1.0) : vec4(0.0, 0.0, 2.0, 1.0);
}
