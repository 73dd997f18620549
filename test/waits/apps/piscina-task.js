'use strict'

const never = new Int32Array(new SharedArrayBuffer(4))

module.exports = function resize () {
  const end = performance.now() + 40
  while (performance.now() < end);
  Atomics.wait(never, 0, 0, 140)
  return 'done'
}
