'use strict'

// The deployment for Kubernetes, read by kubectl as the API would read it. It needs no cluster: what --local decodes has the API's types,
// wrong ones are refused, and fields that there are none of are gone from what it prints.

const assert = require('node:assert/strict')
const { spawnSync } = require('node:child_process')
const { test } = require('node:test')
const { readYaml } = require('./deployed')

const skip = spawnSync('kubectl', ['version', '--client']).status === 0 ? false : 'kubectl is not installed'

function decode (object) {
  const { status, stdout, stderr } = spawnSync('kubectl', ['set', 'env', '--local', '-f', '-', 'ADDED=1', '-o', 'json'], { input: JSON.stringify(object), encoding: 'utf8', timeout: 30_000 })
  return { problem: status === 0 ? null : stderr, object: status === 0 ? JSON.parse(stdout) : null }
}

/** Paths of what is not in the other, or is something else there. */
function missing (wanted, got, path = '') {
  if (typeof wanted !== 'object') return wanted === got ? [] : [path]
  return Object.entries(wanted).flatMap(([name, value]) => missing(value, got?.[name], `${path}/${name}`))
}

test('kubectl decodes the deployment, and each of its fields exists', { skip }, () => {
  const [, deployment] = readYaml('kubernetes', 'deployment.yml')
  const { problem, object } = decode(deployment)
  assert.equal(problem, null)
  assert.deepEqual(missing(deployment, object), [])
})

test('a misspelt field of a deployment is missed, and a wrong type refused', { skip }, () => {
  const [, deployment] = readYaml('kubernetes', 'deployment.yml')
  const misspelt = structuredClone(deployment)
  misspelt.spec.template.spec.terminationGracePeriod = 45
  assert.deepEqual(missing(misspelt, decode(misspelt).object), ['/spec/template/spec/terminationGracePeriod'])
  const wrong = structuredClone(deployment)
  wrong.spec.replicas = 'three'
  assert.match(decode(wrong).problem, /unable to decode/)
})
