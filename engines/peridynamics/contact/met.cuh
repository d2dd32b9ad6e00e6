// The depth that the force of contact is of, from the depth now and that of a step before.
//
// A spring that begins or ends within a step does by its forces at both ends ½ S |now · before| too little or too much
// work. Half of that as a depth, taken off at the end of the step, gives it back: it acts along the way that was gone.
#pragma once

template <typename Number> DEVICE Number met(const Number now, const Number before)
{
    const Number depth = now > 0 ? now : Number(0);
    if ((now > 0) == (before > 0)) return depth;
    return depth - Number(0.5) * fabs(now * before) / fabs(now - before);
}
