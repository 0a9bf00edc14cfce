// What the adversary has worked out by a time.

function learntAt(run, node, t) { return null; }

function attackOfPacket(view, run, p) { return []; }
