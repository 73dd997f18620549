'use strict'

// Docker, Kubernetes, PM2, Parca and Alloy: what their files say of us is true.

const assert = require('node:assert/strict')
const { spawnSync } = require('node:child_process')
const { test } = require('node:test')
const { parse } = require('yaml')
const { createRoutes } = require('../../lib/observer/admin/routes')
const { resolveOptions } = require('../../lib/api/options/resolve-options')
const { blocksOf } = require('../docs/pages')
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
  assert.ok(volumeMounts.some(({ mountPath }) => variables.LOOPSCOPE_DIR.startsWith(`${mountPath}/`)), 'the volume itself belongs to root')
})

test('the probes of the deployment ask the application, not the listener, which answers while the loop is stuck', () => {
  const [, { spec: { template: { spec: { containers: [container] } } } }] = readYaml('kubernetes', 'deployment.yml')
  for (const probe of ['livenessProbe', 'readinessProbe']) assert.equal(container[probe].httpGet.port, 'http')
})

test('the image and its compose file set options that there are, and write where the user of the process may', () => {
  const dockerfile = read('docker', 'Dockerfile')
  const image = Object.fromEntries([...dockerfile.matchAll(/(?:^ENV | {4})(\w+)=("[^"]*"|\S+)/gm)].map(([, name, value]) => [name, value.replaceAll('"', '')]))
  const [{ services: { shop }, secrets }] = readYaml('docker', 'compose.yml')
  assertOptions(image)
  assertOptions({ ...image, ...shop.environment, LOOPSCOPE_TOKEN_FILE: __filename })
  assert.equal(image.NODE_OPTIONS, '--require loopscope/register')
  assert.match(dockerfile, new RegExp(`mkdir ${image.LOOPSCOPE_DIR} && chown node:node ${image.LOOPSCOPE_DIR}\nVOLUME ${image.LOOPSCOPE_DIR}\nUSER node`))
  assert.deepEqual(shop.volumes, [`captures:${image.LOOPSCOPE_DIR}`])
  assert.equal(shop.environment.LOOPSCOPE_TOKEN_FILE, `/run/secrets/${Object.keys(secrets)[0]}`)
  assert.deepEqual(shop.ports, ['3000:3000', `127.0.0.1:6060:${shop.environment.LOOPSCOPE_ADMIN_LISTEN.split(':')[1]}`])
  assert.match(shop.healthcheck.test[1], /127\.0\.0\.1:3000/)
})

test('the PodMonitor scrapes the port of the deployment', () => {
  const [{ spec: { selector, podMetricsEndpoints: [endpoint] } }] = readYaml('kubernetes', 'podmonitor.yml')
  const [, { spec }] = readYaml('kubernetes', 'deployment.yml')
  assert.deepEqual(selector, spec.selector)
  assert.ok(PATHS.includes(endpoint.path))
  const listener = Number(spec.template.spec.containers[0].env.find(({ name }) => name === 'LOOPSCOPE_ADMIN_LISTEN').value.split(':')[1])
  assert.deepEqual(spec.template.spec.containers[0].ports.find(({ name }) => name === endpoint.port), { name: endpoint.port, containerPort: listener })
})

test('the pages show what is in the files', () => {
  const lines = text => text.split('\n').map(line => line.trim()).filter(line => line !== '' && !line.startsWith('#'))
  for (const [page, language, file] of [['docs/docker.md', 'dockerfile', 'docker/Dockerfile'], ['docs/kubernetes.md', 'yaml', 'kubernetes/deployment.yml']]) {
    const { text } = blocksOf(page).find(block => block.language === language)
    const there = lines(read(file))
    assert.deepEqual(lines(text).filter(line => !there.includes(line)), [], page)
  }
})

test('the command that makes a PrometheusRule of the rules does', { skip: process.platform === 'win32' && 'there is no sed' }, () => {
  const command = blocksOf('docs/kubernetes.md').find(({ text }) => text.includes('PrometheusRule')).text
  const { stdout } = spawnSync('sh', ['-c', command.replace(' | kubectl apply -f -', '').replace('node_modules/loopscope/deploy', fileOf())], { encoding: 'utf8' })
  assert.deepEqual(parse(stdout), {
    apiVersion: 'monitoring.coreos.com/v1', kind: 'PrometheusRule', metadata: { name: 'loopscope' }, spec: readYaml('prometheus', 'loopscope.rules.yml')[0]
  })
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
