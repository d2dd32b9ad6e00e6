// Light that stands with the camera: a sky, a lamp at the eye, a key light from the upper right. In linear light;
// normals, and directions towards the eye, are unit vectors in the eye's space.
const vec3 KEY_LIGHT = vec3(0.308, 0.431, 0.848);

vec3 light_on(vec3 normal, float facing) {
    float key = max(dot(normal, KEY_LIGHT), 0.0);
    vec3 sky = mix(vec3(0.40, 0.37, 0.37), vec3(0.52, 0.54, 0.58), 0.5 + 0.5 * normal.y);
    return sky + vec3(0.30) * facing + vec3(0.46, 0.45, 0.43) * key;
}

// The paler rim that sets a body off from what is behind it.
vec3 rim_of(vec3 normal, float facing) {
    float edge = 1.0 - facing;
    float edge2 = edge * edge;
    return vec3(0.10, 0.12, 0.15) * edge2 * edge2 * (0.4 + 0.6 * max(normal.y, 0.0));
}

float gloss_of(vec3 normal, vec3 towards) {
    return pow(max(dot(normal, normalize(towards + KEY_LIGHT)), 0.0), 48.0);
}
