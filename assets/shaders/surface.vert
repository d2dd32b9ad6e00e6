// Triangles that carry one float per vertex. GLSL 1.20, so that old drivers and macOS draw it too.
#version 120
attribute vec3 a_position;
attribute vec3 a_normal;
attribute vec3 a_colour;      // region colour, linear light
attribute float a_value;      // the field, or NO_DATA
attribute float a_activation; // the front's time; in the future where it has not come
attribute float a_contour;    // the field, smoothed, for lines of equal value
uniform mat4 u_view;
uniform mat4 u_projection;
uniform vec4 u_clip;          // hides where dot(xyz, position) > w
uniform vec2 u_range;
uniform float u_time;
uniform float u_front_width;
varying vec3 v_position;
varying vec3 v_normal;
varying vec3 v_colour;
varying vec2 v_value;         // value * present, present: interpolates rightly next to vertices without data
                              // CYCLIC: the direction, or nothing
varying float v_age;
varying float v_contour;
varying float v_clip;

void main() {
    vec4 eye = u_view * vec4(a_position, 1.0);
    v_position = eye.xyz;
    v_normal = (u_view * vec4(a_normal, 0.0)).xyz;
    v_colour = a_colour;
    float present = a_value < 1.0e38 ? 1.0 : 0.0;
#ifdef CYCLIC
    float turn = present > 0.5 ? 6.28318531 * (a_value - u_range.x) * u_range.y : 0.0;
    v_value = present * vec2(cos(turn), sin(turn));
#else
    v_value = vec2(present * (present > 0.5 ? a_value : 0.0), present);
#endif
    v_age = a_activation < 1.0e38 ? u_time - a_activation : -u_front_width;
    v_contour = a_contour;
    v_clip = dot(u_clip.xyz, a_position) - u_clip.w;
    gl_Position = u_projection * eye;
}
