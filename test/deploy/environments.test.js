'use strict'

// Kubernetes, PM2, Parca and Alloy: what their files say of us is true.

const assert = require('node:assert/strict')
const { test } = require('node:test')
const { createRoutes } = require('../../lib/observer/admin/routes')
const { resolveOptions } = require('../../lib/api/options/resolve-options')
const { fileOf, read, readYaml } = require('./deployed')

const PATHS = createRoutes().map(({ path }) => path)

/** As they would be read at start. */
function assertOptions (variables) {
  const ours = Object.fromEntries(Object.entries(variables).filter(([name]) => name.startsWith('LOOPSCOPE_')))
  assert.ok(Object.keys(ours).length > 0)
  resolveOptions({}, ours)
}

test('the deployment for Kubernetes sets options that there are, and is scraped where the listener is', () => {
  const [secret, { spec: { template } }] = readYaml('kubernetes', 'deployment.yml')
  const [{ env, ports, volumeMounts }] = template.spec.containers
  const token = secret.stringData.token
  const variables = Object.fromEntries(env.map(({ name, value, valueFrom }) => [name, valueFrom === undefined ? value : token]))
  assertOptions(variables)
  assert.equal(variables.NODE_OPTIONS, '--require loopscope/register')
  assert.equal(template.metadata.annotations['prometheus.io/port'], variables.LOOPSCOPE_ADMIN_LISTEN.split(':')[1])
  assert.ok(ports.some(({ containerPort }) => String(containerPort) === template.metadata.annotations['prometheus.io/port']))
  assert.ok(PATHS.includes(template.metadata.annotations['prometheus.io/path']))
  assert.ok(volumeMounts.some(({ mountPath }) => mountPath === variables.LOOPSCOPE_DIR))
})

test('the probes of the deployment ask the application, not the listener, which answers while the loop is stuck', () => {
  const [, { spec: { template: { spec: { containers: [container] } } } }] = readYaml('kubernetes', 'deployment.yml')
  for (const probe of ['livenessProbe', 'readinessProbe']) assert.equal(container[probe].httpGet.port, 'http')
})

test('the ecosystem file of PM2 sets options that there are', () => {
  const { apps: [{ env, node_args: args }] } = require(fileOf('pm2', 'ecosystem.config.js'))
  assertOptions(env)
  assert.equal(args, '--require loopscope/register')
})

test('Parca and Alloy ask for profiles that are answered', () => {
  const [{ scrape_configs: [{ profiling_config: { pprof_config: kinds } }] }] = readYaml('parca', 'parca.yml')
  const ofParca = Object.values(kinds).map(({ path }) => path)
  const ofAlloy = [...read('alloy', 'config.alloy').matchAll(/path\s+= "(.+)"/g)].map(([, path]) => path)
  for (const asked of [ofParca, ofAlloy]) {
    assert.equal(asked.length, 5)
    assert.deepEqual(asked.filter(path => !PATHS.includes(path)), [])
  }
})
