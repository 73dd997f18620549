'use strict'

// Runs a fixture and prints what captures of it hold, by their options.

const fs = require('node:fs')
const diagnostics = require('../../lib/index')

const [, , file, dir] = process.argv
const handle = diagnostics.createDiagnostics({ logger: { info () {}, warn () {}, error () {} }, dir, controlSocket: false, signals: false })
handle.start()

async function run () {
  // The recorder begins some time after the process.
  for (let profile = ''; !/renderReport|"p"/.test(profile);) {
    require(file).renderReport(200)
    const { path } = await handle.capture('cpu', { last: 10 }).catch(() => ({ path: null }))
    profile = path === null ? '' : fs.readFileSync(path, 'utf8')
    await new Promise(resolve => setTimeout(resolve, 100))
  }
  const contents = {}
  for (const options of [{ format: 'text' }, { format: 'text', sources: 'generated' }, { format: 'cpuprofile' }, { format: 'cpuprofile', sources: 'original' }]) {
    const artifact = await handle.capture('cpu', { last: 60, ...options })
    contents[`${options.format} ${options.sources ?? 'by default'}`] = await artifact.text()
  }
  for (const sources of ['original', 'generated']) contents[`heap ${sources}`] = await captureHeap(sources)
  const { path: pprof } = await handle.capture('cpu', { last: 60, format: 'pprof', sources: 'original' })
  console.log(JSON.stringify({ contents, pprof }))
  await handle.close()
}

async function captureHeap (sources) {
  const work = setInterval(() => require(file).renderReport(50), 100)
  const artifact = await handle.capture('heap-profile', { seconds: 1, mode: 'all', format: 'text', sources })
  clearInterval(work)
  return artifact.text()
}

run().catch(error => {
  console.error(error)
  process.exitCode = 1
})
