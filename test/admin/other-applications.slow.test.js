'use strict'

// Services of one user that share the directory for captures: a token of one says nothing about the other.

const assert = require('node:assert/strict')
const path = require('node:path')
const test = require('node:test')
const { filesIn, makeScratch } = require('../store/scratch')
const { get, getControl, run } = require('./running')

const post = body => ({ method: 'POST', headers: { 'content-type': 'application/json', prefer: 'wait=60' }, body: JSON.stringify(body) })

async function capture (url) {
  const response = await get(`${url}/captures`, post({ kind: 'heap-snapshot', force: true }))
  const { artifact } = await response.json()
  assert.equal(response.status, 201)
  return artifact.name
}

async function names (url) {
  const { artifacts } = await (await get(`${url}/artifacts`)).json()
  return artifacts.map(({ name }) => name).sort()
}

test('artifacts of another application are not listed, served, compared, deleted or pushed out', async t => {
  const env = { LOOPSCOPE_DIR: path.join(makeScratch(t), 'captures'), LOOPSCOPE_RETENTION_MAX_COUNT: '1' }
  const shop = await run(t, { env: { ...env, LOOPSCOPE_APP_NAME: 'shop' } })
  const blog = await run(t, { env: { ...env, LOOPSCOPE_APP_NAME: 'blog' } })
  const [shopUrl, blogUrl] = [await shop.listenerUrl(), await blog.listenerUrl()]
  const [ofShop, ofBlog] = [await capture(shopUrl), await capture(blogUrl)]
  assert.deepEqual([await names(shopUrl), await names(blogUrl)], [[ofShop], [ofBlog]])
  for (const [target, method] of [['', 'GET'], ['/metadata', 'GET'], ['', 'DELETE']]) {
    assert.equal((await get(`${blogUrl}/artifacts/${ofShop}${target}`, { method })).status, 404)
  }
  assert.equal((await get(`${blogUrl}/heap/comparison?before=${ofShop}&after=${ofBlog}`)).status, 404)
  assert.equal(filesIn(env.LOOPSCOPE_DIR).filter(file => file.endsWith('.heapsnapshot')).length, 2)

  assert.equal((await get(`${blogUrl}/artifacts?all=1`)).status, 403, 'a token is one application\'s')
  const { applications } = JSON.parse((await getControl(blog.socketPath, '/artifacts?all=1')).text)
  assert.deepEqual(applications.map(({ appName, artifacts: [{ name }] }) => [appName, name]), [['blog', ofBlog], ['shop', ofShop]])
})

test('a sibling of the same application sees the same artifacts, and compares those of one process only', async t => {
  const env = { LOOPSCOPE_DIR: path.join(makeScratch(t), 'captures') }
  const apps = [await run(t, { env }), await run(t, { env })]
  const urls = [await apps[0].listenerUrl(), await apps[1].listenerUrl()]
  const taken = [await capture(urls[0]), await capture(urls[1]), await capture(urls[0])]
  assert.deepEqual(await names(urls[1]), taken.toSorted())
  const compare = (before, after) => get(`${urls[1]}/heap/comparison?before=${before}&after=${after}`)
  const refused = await compare(taken[0], taken[1])
  assert.equal(refused.status, 409)
  assert.match((await refused.json()).detail, /not of one process/)
  assert.equal((await compare(taken[0], taken[2])).status, 200)
})
