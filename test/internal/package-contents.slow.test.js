'use strict'

// What is published: the files, and that they work once they are installed somewhere else.

const { after, before, describe, test } = require('node:test')
const assert = require('node:assert/strict')
const { execFile } = require('node:child_process')
const fs = require('node:fs')
const os = require('node:os')
const path = require('node:path')
const { pathToFileURL } = require('node:url')
const { promisify } = require('node:util')
const { ROOT, listFiles, publishedFiles } = require('./project')
const manifest = require('../../package.json')

const run = promisify(execFile)
// npm is a command file on Windows, which only a shell starts.
const npm = (...args) => run('npm', args, { cwd: ROOT, shell: process.platform === 'win32' })
const TSC = require.resolve('typescript/bin/tsc')

const CONSUMER = `
const handle: Diagnostics = createDiagnostics({ recorder: false, signals: false })
const delayMs: number = handle.delay().p99Ms
// @ts-expect-error no such option
diagnostics({ unheard: delayMs })
export {}
`

describe('the package', () => {
  let folder
  let tarball

  before(async () => {
    folder = fs.mkdtempSync(path.join(fs.realpathSync(os.tmpdir()), 'loopscope-package-'))
    const { stdout } = await npm('pack', '--json', '--pack-destination', folder)
    tarball = JSON.parse(stdout)[0]
    await install()
  })

  after(() => fs.rmSync(folder, { recursive: true }))

  /** As npm would, without a network: the packed files, beside the dependencies that are installed here. */
  async function install () {
    const modules = path.join(folder, 'node_modules')
    fs.mkdirSync(modules)
    await run('tar', ['-xzf', tarball.filename, '-C', 'node_modules'], { cwd: folder })
    fs.renameSync(path.join(modules, 'package'), path.join(modules, manifest.name))
    for (const name of [...Object.keys(manifest.dependencies), '@types/node']) {
      fs.mkdirSync(path.dirname(path.join(modules, name)), { recursive: true })
      fs.symlinkSync(path.join(ROOT, 'node_modules', name), path.join(modules, name), 'junction')
    }
  }

  function write (name, text) {
    fs.writeFileSync(path.join(folder, name), text)
    return name
  }

  const node = (...args) => run(process.execPath, args, { cwd: folder })

  test('holds bin/, deploy/, docs/, examples/, lib/, types/ and five files, and nothing else', () => {
    const documents = listFiles('docs').filter(file => /\.(md|png|svg)$/.test(file)) // not the script that makes the pictures
    const wanted = [
      ...listFiles('bin'), ...listFiles('deploy'), ...documents, ...listFiles('examples'), ...listFiles('lib'), ...listFiles('types'),
      'CHANGELOG.md', 'LICENSE', 'README.md', 'package.json', 'register.js'
    ]
    assert.deepEqual(tarball.files.map(file => file.path).sort(), wanted.sort())
    assert.deepEqual(publishedFiles().sort(), wanted.sort())
  })

  test('has nothing for publint to complain about', async () => {
    const { publint } = await import('publint')
    const { messages } = await publint({ pkgDir: ROOT, pack: 'npm' })
    assert.deepEqual(messages, [])
  })

  test('works when it is required', async () => {
    const app = write('app.cjs', `
      const diagnostics = require('loopscope')
      const logger = { info () {}, warn () {}, error () {} } // a busy machine makes stalls
      const handle = diagnostics.createDiagnostics({ dir: ${JSON.stringify(path.join(folder, 'store'))}, logger }).start()
      const hold = setInterval(() => {}, 1000)
      // which may also leave a profile of half a second without a sample
      const capture = () => handle.capture('cpu', { seconds: 0.5, format: 'flamegraph' })
        .catch(error => error.code === 'ERR_LOOPSCOPE_EMPTY_VIEW' ? capture() : Promise.reject(error))
      capture()
        .then(async ({ bytes, format }) => console.log(typeof diagnostics, format, bytes > 100_000))
        .finally(() => handle.close())
        .finally(() => clearInterval(hold))
    `)
    const { stdout } = await node(app)
    assert.equal(stdout, 'function flamegraph true\n')
  })

  test('works when it is imported', async () => {
    const app = write('app.mjs', `
      import diagnostics, { createDiagnostics } from 'loopscope'
      const { version } = (await import('loopscope/package.json', { with: { type: 'json' } })).default
      const same = diagnostics.createDiagnostics === createDiagnostics
      await createDiagnostics().start().close()
      console.log(typeof diagnostics, same, version)
    `)
    const { stdout } = await node('--no-warnings', app)
    assert.equal(stdout, `function true ${manifest.version}\n`)
  })

  test('works when it is preloaded, by its name and by its path', async () => {
    const file = path.join(folder, 'node_modules', 'loopscope', 'register')
    const env = { ...process.env, LOOPSCOPE_UNHEARD: 'of' }
    for (const preload of [['--require', 'loopscope/register'], ['--require', file], ['--require', `${file}.js`], ['--import', 'loopscope/register'], ['--import', pathToFileURL(`${file}.js`).href]]) {
      const { stdout } = await node(...preload, '--eval', 'console.log("application")')
      assert.equal(stdout, 'application\n')
      await assert.rejects(run(process.execPath, [...preload, '--eval', ''], { cwd: folder, env }), /ERR_LOOPSCOPE_UNKNOWN_OPTION/)
    }
  })

  test('keeps its inner files to itself', async () => {
    await assert.rejects(node('--eval', 'require("loopscope/lib/api/options/options")'), /ERR_PACKAGE_PATH_NOT_EXPORTED/)
  })

  test('has types for CommonJS and for ES modules', async () => {
    write('consumer.cts', `import diagnostics = require('loopscope')\nimport { createDiagnostics, type Diagnostics } from 'loopscope'${CONSUMER}`)
    write('consumer.mts', `import 'loopscope/register'\nimport diagnostics, { createDiagnostics, type Diagnostics } from 'loopscope'${CONSUMER}`)
    write('tsconfig.json', JSON.stringify({
      compilerOptions: { target: 'es2022', module: 'node16', strict: true, noEmit: true, types: ['node'] },
      files: ['consumer.cts', 'consumer.mts']
    }))
    const { stdout } = await node(TSC, '-p', '.').catch(error => error)
    assert.equal(stdout, '')
  })
})
