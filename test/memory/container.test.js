'use strict'

// How full the container is, from files as the kernel writes them: both versions of control groups, nested ones, without a limit, with swap.

const assert = require('node:assert/strict')
const fs = require('node:fs')
const path = require('node:path')
const test = require('node:test')
const { ContainerGauge, readContainer } = require('../../lib/base/system/memory-room')
const { makeScratch } = require('../store/scratch')

const MB = 1024 ** 2
const PRESSURE = 'some avg10=12.50 avg60=3.20 avg300=0.70 total=1934812\nfull avg10=4.00 avg60=1.10 avg300=0.20 total=702331\n'
const MEMINFO = 'MemTotal:        8048324 kB\nMemFree:          402108 kB\nSwapCached:            0 kB\nSwapTotal:       1048572 kB\nSwapFree:        1048576 kB\n'
const NO_SWAP = MEMINFO.replace(/^SwapFree.*$/m, 'SwapFree:              0 kB')
const UNLIMITED = '9223372036854771712\n' // of version 1

/** A group of version 2, limited to 512 MB, whose 480 MB are 380 MB of processes, and files. */
const group2 = (files = {}) => ({
  'memory.max': `${512 * MB}\n`,
  'memory.high': 'max\n',
  'memory.current': `${480 * MB}\n`,
  'memory.stat': `anon ${380 * MB}\nfile ${90 * MB}\nkernel ${9 * MB}\nkernel_stack 327680\nshmem 0\ninactive_anon ${380 * MB}\nactive_anon 4096\ninactive_file ${60 * MB}\nactive_file ${30 * MB}\nslab 5912048\npgfault 129312\n`,
  'memory.events': 'low 0\nhigh 4\nmax 27\noom 2\noom_kill 1\noom_group_kill 0\n',
  'memory.swap.max': '0\n',
  'memory.swap.current': '0\n',
  'memory.pressure': PRESSURE,
  ...files
})

/** The same of version 1. */
const group1 = (files = {}) => ({
  'memory.limit_in_bytes': `${512 * MB}\n`,
  'memory.usage_in_bytes': `${480 * MB}\n`,
  'memory.memsw.limit_in_bytes': `${512 * MB}\n`,
  'memory.memsw.usage_in_bytes': `${480 * MB}\n`,
  'memory.stat': `cache 4096\nrss 8192\ninactive_file 4096\nhierarchical_memory_limit ${512 * MB}\ntotal_cache ${90 * MB}\ntotal_rss ${380 * MB}\ntotal_inactive_file ${60 * MB}\ntotal_active_file ${30 * MB}\n`,
  'memory.failcnt': '31\n',
  'memory.oom_control': 'oom_kill_disable 0\nunder_oom 0\noom_kill 1\n',
  ...files
})

/**
 * @param {import('node:test').TestContext} t
 * @param {1 | 2} version
 * @param {Record<string, Record<string, string>>} groups  files, by the path of the group; the last one is that of the process
 * @param {string} [meminfo]
 */
function pretend (t, version, groups, meminfo = NO_SWAP) {
  const [proc, mounted] = ['proc', 'sys'].map(name => path.join(makeScratch(t), name))
  const write = (file, text) => {
    fs.mkdirSync(path.dirname(file), { recursive: true })
    fs.writeFileSync(file, text)
  }
  const own = Object.keys(groups).at(-1)
  write(path.join(proc, 'self', 'cgroup'), version === 2 ? `0::${own}\n` : `9:name=systemd:/\n4:memory:${own}\n0::/\n`)
  write(path.join(proc, 'self', 'mountinfo'), version === 2
    ? `25 20 0:23 / ${mounted} rw,nosuid - cgroup2 cgroup2 rw,nsdelegate,memory_recursiveprot\n`
    : `33 25 0:29 / ${mounted} rw,nosuid - cgroup cgroup rw,memory\n`)
  write(path.join(proc, 'meminfo'), meminfo)
  write(path.join(proc, 'pressure', 'memory'), PRESSURE)
  fs.mkdirSync(path.join(mounted, own), { recursive: true })
  for (const [folder, files] of Object.entries(groups)) {
    for (const [name, text] of Object.entries(files)) write(path.join(mounted, folder, name), text)
  }
  return { read: () => readContainer(proc), openGauge: () => ContainerGauge.open(proc), folder: (/** @type {string} */ name) => path.join(mounted, name), mounted }
}

test('version 2: use without what the kernel takes back, limits, events and pressure', t => {
  const { read, folder } = pretend(t, 2, { '/pod': group2() })
  assert.deepEqual(read(), {
    usedBytes: 420 * MB,
    limitBytes: 512 * MB,
    highBytes: null,
    processBytes: 380 * MB,
    reclaimed: 31,
    killed: 1,
    swap: null,
    pressure: { someShare: 0.125, fullShare: 0.04, of: 'container' },
    basis: `memory.max of ${folder('pod')}`
  })
})

test('version 1: the same figures from other files; the pressure is that of the machine', t => {
  const [second, first] = [pretend(t, 2, { '/pod': group2() }), pretend(t, 1, { '/pod': group1() })]
  assert.deepEqual(first.read(), {
    ...second.read(),
    pressure: { someShare: 0.125, fullShare: 0.04, of: 'machine' },
    basis: `memory.limit_in_bytes of ${first.folder('pod')}`
  })
})

for (const [version, group, limit] of /** @type {const} */ ([[2, group2, 'memory.max'], [1, group1, 'memory.limit_in_bytes']])) {
  const unlimited = version === 2 ? 'max\n' : UNLIMITED
  const current = version === 2 ? 'memory.current' : 'memory.usage_in_bytes'

  test(`version ${version}: of nested groups the one with the least free memory decides`, t => {
    const groups = { '/kubepods': group({ [limit]: `${500 * MB}\n` }), '/kubepods/pod': group({ [limit]: unlimited }), '/kubepods/pod/app': group({ [limit]: `${400 * MB}\n`, [current]: `${150 * MB}\n` }) }
    const { read, folder } = pretend(t, version, groups)
    assert.deepEqual([read()?.basis, read()?.usedBytes], [`${limit} of ${folder('kubepods')}`, 420 * MB])
    const inner = pretend(t, version, { ...groups, '/kubepods/pod/app': group({ [limit]: `${430 * MB}\n` }) })
    assert.equal(inner.read()?.basis, `${limit} of ${inner.folder('kubepods/pod/app')}`)
  })

  test(`version ${version}: no limit is no container`, t => {
    assert.equal(pretend(t, version, { '/pod': group({ [limit]: unlimited }) }).read(), null)
    assert.equal(pretend(t, version, { '/pod': {} }).read(), null)
  })

  test(`version ${version}: a gauge reads the use again and again, and the limit once`, t => {
    const { openGauge, folder } = pretend(t, version, { '/a group of its own': group() })
    const gauge = openGauge()
    assert.ok(gauge !== null)
    t.after(() => gauge.close())
    assert.deepEqual(gauge.read(), { usedBytes: 420 * MB, limitBytes: 512 * MB })
    fs.writeFileSync(path.join(folder('a group of its own'), current), `${200 * MB}\n`)
    assert.deepEqual(gauge.read(), { usedBytes: 200 * MB, limitBytes: 512 * MB }, 'far from the limit memory.stat is not read')
  })
}

test('memory.high is reported beside the limit, and is the limit where there is no other', t => {
  const both = pretend(t, 2, { '/app.service': group2({ 'memory.high': `${450 * MB}\n` }) })
  assert.deepEqual([both.read()?.limitBytes, both.read()?.highBytes], [512 * MB, 450 * MB])
  const alone = pretend(t, 2, { '/app.service': group2({ 'memory.max': 'max\n', 'memory.high': `${450 * MB}\n` }) })
  assert.deepEqual([alone.read()?.limitBytes, alone.read()?.highBytes, alone.read()?.basis], [450 * MB, 450 * MB, `memory.high of ${alone.folder('app.service')}`])
})

test('swap: what is used, and what is left of the group\'s limit and of the machine', t => {
  const swapOf = (/** @type {1 | 2} */ version, files, meminfo = MEMINFO) => pretend(t, version, { '/pod': version === 2 ? group2(files) : group1(files) }, meminfo).read()?.swap
  assert.deepEqual(swapOf(2, { 'memory.swap.max': `${512 * MB}\n`, 'memory.swap.current': `${112 * MB}\n` }), { usedBytes: 112 * MB, freeBytes: 400 * MB })
  assert.deepEqual(swapOf(1, { 'memory.memsw.limit_in_bytes': `${1024 * MB}\n`, 'memory.memsw.usage_in_bytes': `${592 * MB}\n` }), { usedBytes: 112 * MB, freeBytes: 400 * MB })
  assert.deepEqual(swapOf(2, { 'memory.swap.max': 'max\n' }), { usedBytes: 0, freeBytes: 1024 * MB })
  assert.deepEqual(swapOf(1, { 'memory.memsw.limit_in_bytes': UNLIMITED }), { usedBytes: 0, freeBytes: 1024 * MB })
  assert.equal(swapOf(2, { 'memory.swap.max': 'max\n' }, NO_SWAP), null)
  assert.equal(swapOf(2, {}), null, 'it may not swap')
})

test('a kernel that does not count swap', t => {
  const files = Object.fromEntries(Object.entries(group1()).filter(([name]) => !name.startsWith('memory.memsw')))
  const container = pretend(t, 1, { '/pod': files }, MEMINFO).read()
  assert.deepEqual([container?.swap, container?.usedBytes], [null, 420 * MB])
})
