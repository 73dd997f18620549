'use strict'

const assert = require('node:assert/strict')
const { spawnSync } = require('node:child_process')
const fs = require('node:fs')
const path = require('node:path')
const { test } = require('node:test')
const { fileOf, readYaml } = require('./deployed')

const skip = spawnSync('promtool', ['--version']).error ? 'promtool is not installed' : false
const [{ groups }] = readYaml('prometheus', 'loopscope.rules.yml')
const alerts = groups.flatMap(({ rules }) => rules).filter(({ alert }) => alert !== undefined)

function promtool (...args) {
  const { status, stdout, stderr } = spawnSync('promtool', args, { encoding: 'utf8', timeout: 60_000 })
  assert.equal(status, 0, stdout + stderr)
}

test('promtool takes the rules, and they do what their unit tests say', { skip }, () => {
  promtool('check', 'rules', fileOf('prometheus', 'loopscope.rules.yml'))
  promtool('test', 'rules', fileOf('prometheus', 'loopscope.rules.test.yml'))
})

test('promtool takes the scrape configuration', { skip }, () => {
  promtool('check', 'config', '--syntax-only', fileOf('prometheus', 'prometheus.yml'))
})

test('every alert has a unit test in which it fires', () => {
  const [{ tests }] = readYaml('prometheus', 'loopscope.rules.test.yml')
  const fired = tests.flatMap(one => one.alert_rule_test).filter(({ exp_alerts: expected }) => expected.length > 0).map(({ alertname }) => alertname)
  assert.deepEqual(alerts.map(({ alert }) => alert).filter(alert => !fired.includes(alert)), [])
})

test('the finding that an alert points to is one', () => {
  const documented = fs.readFileSync(path.join(__dirname, '../../docs/findings.md'), 'utf8')
  const named = alerts.flatMap(({ labels: { finding } }) => finding ?? [])
  assert.ok(named.length >= 6)
  assert.deepEqual(named.filter(finding => !documented.includes(`| \`${finding}\` |`)), [])
})

test('pods are found by the annotations that the deployment has', () => {
  const [{ scrape_configs: [{ relabel_configs: relabel }] }] = readYaml('prometheus', 'kubernetes-pods.yml')
  const [, { spec: { template: { metadata: { annotations } } } }] = readYaml('kubernetes', 'deployment.yml')
  for (const name of Object.keys(annotations)) {
    const label = `__meta_kubernetes_pod_annotation_${name.replace(/[./]/g, '_')}`
    assert.ok(relabel.some(({ source_labels: labels }) => labels.includes(label)), name)
  }
})
