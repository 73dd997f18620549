'use strict'

const assert = require('node:assert/strict')
const fs = require('node:fs')
const path = require('node:path')
const test = require('node:test')
const { groupFolders } = require('../../lib/base/system/cgroup-folders')

const FIXTURES = path.join(__dirname, '..', 'fixtures', 'cgroup')
const places = fs.readdirSync(FIXTURES, { withFileTypes: true }).filter(entry => entry.isDirectory()).map(({ name }) => name)
const read = (place, file) => fs.readFileSync(path.join(FIXTURES, place, file), 'utf8')

for (const place of places) {
  test(`finds the groups of a controller: ${place.replaceAll('-', ' ')}`, () => {
    const wanted = read(place, 'folders.txt').split('\n').filter(line => line !== '')
    assert.deepEqual(groupFolders('cpu', read(place, 'cgroup'), read(place, 'mountinfo')), wanted)
  })
}

test('does not mix controllers of version 1', () => {
  const membership = '5:memory:/a\n4:cpu,cpuacct:/b\n'
  const mounts = '1 0 0:1 / /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory\n2 0 0:2 / /sys/fs/cgroup/cpu rw - cgroup cgroup rw,cpu,cpuacct\n'
  assert.deepEqual(groupFolders('memory', membership, mounts), ['/sys/fs/cgroup/memory/a', '/sys/fs/cgroup/memory'])
  assert.deepEqual(groupFolders('cpu', membership, mounts), ['/sys/fs/cgroup/cpu/b', '/sys/fs/cgroup/cpu'])
})
