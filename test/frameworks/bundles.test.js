'use strict'

// Applications in one file, made by the real bundlers: with loopscope beside the bundle, and inside it.

const { after, before, describe, test } = require('node:test')
const assert = require('node:assert/strict')
const fs = require('node:fs')
const os = require('node:os')
const path = require('node:path')
const { installInto, skipWithout } = require('./installed')
const { FIXTURES, start, endOf } = require('./environment')
const { OBSERVED, observe } = require('./observed')
const { BUNDLERS } = require('./bundlers')

const skip = skipWithout('express', 'esbuild', 'webpack', 'rollup', '@rollup/plugin-commonjs')

for (const [name, { type, build }] of Object.entries(BUNDLERS)) {
  describe(name, { skip, timeout: 240_000 }, () => {
    let folder
    let complaints

    // shop/ has the modules that are bundled; alone/ is what is deployed without any.
    before(async () => {
      folder = fs.mkdtempSync(path.join(fs.realpathSync(os.tmpdir()), 'loopscope-bundle-'))
      const shop = path.join(folder, 'shop')
      fs.mkdirSync(path.join(folder, 'alone'), { recursive: true })
      installInto(shop, 'express')
      for (const place of ['shop', 'alone']) fs.writeFileSync(path.join(folder, place, 'package.json'), '{"name":"shop"}')
      fs.copyFileSync(path.join(FIXTURES, 'shop.js'), path.join(shop, 'shop.js'))
      await build({ folder: shop, outdir: path.join(shop, 'external'), isExternal: true })
      complaints = await build({ folder: shop, outdir: path.join(shop, 'bundled'), isExternal: false })
      fs.cpSync(path.join(shop, 'bundled'), path.join(folder, 'alone/bundled'), { recursive: true })
    })

    after(() => fs.rmSync(folder, { recursive: true, force: true }))

    const run = (t, place, env) => start(t, [`${path.basename(place)}/app.${type}`], { cwd: path.join(folder, path.dirname(place)), env: { DRAIN: '1', ...OBSERVED, ...env } })

    async function endsAsWithout (t, place, app) {
      assert.deepEqual(await endOf(app), await endOf(run(t, place, {})))
    }

    test('has nothing to complain about in loopscope', () => {
      assert.deepEqual((complaints ?? []).filter(text => /loopscope|[\\/]lib[\\/]/.test(text) && !/express/.test(text)), [])
    })

    for (const [place, what] of [['shop/external', 'loopscope outside the bundle'], ['shop/bundled', 'loopscope inside the bundle, and installed beside it']]) {
      test(what, async t => {
        const app = run(t, place, { DOOR: 'middleware' })
        const { stall } = await observe(app)
        assert.equal(stall.culprit.file, `${path.basename(place)}/app.${type}`)
      })
    }

    test('loopscope inside the bundle, with the observer as a file of its own', async t => {
      const app = run(t, 'alone/bundled', { DOOR: 'middleware', LOOPSCOPE_OBSERVER_FILE: `bundled/observer.${type}`, LOOPSCOPE_SYNC_CALLS: 'on' })
      await observe(app)
      await endsAsWithout(t, 'alone/bundled', app)
    })

    test('loopscope inside the bundle alone says what to write into the configuration, and the application goes on', async t => {
      const app = run(t, 'alone/bundled', { DOOR: 'middleware' })
      const warning = await app.until(/observer thread is not running/)
      assert.equal(warning.code, 'LOOPSCOPE_WARN_OBSERVER_UNAVAILABLE')
      assert.match(warning.err.stack, /ERR_LOOPSCOPE_BUNDLED/)
      assert.match(warning.msg, /esbuild: external, webpack: externals, Rollup: external, Next\.js: serverExternalPackages\b.*`loopscope\/observer`.*observerFile/)
      const { port } = await app.until(/^listening$/)
      assert.equal((await fetch(`http://127.0.0.1:${port}/`)).status, 200)
      await endsAsWithout(t, 'alone/bundled', app)
      assert.deepEqual(app.said(/./).filter(({ level }) => level >= 40).map(({ code }) => code), ['LOOPSCOPE_WARN_OBSERVER_UNAVAILABLE'])
    })
  })
}
