'use strict'

let last = Promise.resolve()

async function withLock (work) {
  const before = last
  let release
  last = new Promise(resolve => { release = resolve })
  await before
  try {
    return await work()
  } finally {
    release()
  }
}

const save = () => new Promise(resolve => setTimeout(resolve, 10))

module.exports = async function order (request, response) {
  await withLock(save)
  response.end('{}')
}
