import { expect } from 'chai'
import { parsePlaybook } from '../../core/playbook/read/parse.ts'
import http from '../../plugins/http/plugin.ts'
import { codesOf, withSteps } from './support.ts'
import { buildCatalogue } from '../../core/registry/catalogue.ts'

const catalogue = buildCatalogue([http])

const codesFor = (path: string, skill = 'get'): readonly string[] => {
  const method = skill === 'send' ? 'method: POST, ' : ''
  const step = `  - { uses: http.${skill}, connection: c, with: { ${method}path: ${path} } }`
  const alert =
    'alert: { type: object, required: [id, n, kind, list], properties: { id: { type: string }, n: { type: integer }, kind: { enum: [a, b] }, list: { type: array, items: { type: string } } } }'
  return codesOf(parsePlaybook(withSteps(step, alert), { catalogue }).problems).filter(
    // Nothing reads the fetched value.
    (code) => code !== 'W403',
  )
}

describe('paths in playbooks', () => {
  for (const path of [
    '"/devices/${{ alert.data.id }}"',
    '"/devices/${{ alert.data.id }}/notes/${{ alert.data.n }}"',
    '"/devices/${{ alert.data.id.urlEncode() }}/${{ alert.data.id }}"',
    '"/devices/${{ alert.data.id.lowerAscii() }}"',
    "\"/devices/${{ alert.data.id == '' ? 'x' : alert.data.id }}\"",
    '"${{ alert.data.id }}"',
    '"${{ \'/devices/\' + alert.data.id }}"',
    '"/devices/${{ alert.content }}"',
  ]) {
    it(`cause a warning for a value in text: ${path}`, () => {
      expect(codesFor(path)).to.deep.equal(['W414'])
      expect(codesFor(path, 'send')).to.deep.equal(['W414'])
    })
  }

  for (const path of [
    '/devices/7',
    '[devices, "${{ alert.data.id }}", notes]',
    '[devices, 7]',
    '"${{ alert.data.list }}"',
    '"${{ [\'devices\', alert.data.id] }}"',
    '"/devices/${{ alert.data.id.urlEncode() }}"',
    '"/devices/${{ urlEncode(alert.data.id) }}"',
    "\"/devices/${{ alert.data.id == '' ? 'x' : urlEncode(alert.data.id) }}\"",
    '"/devices/${{ alert.data.n }}"',
    '"/devices/${{ alert.data.kind }}"',
  ]) {
    it(`pass: ${path}`, () => expect(codesFor(path)).to.deep.equal([]))
  }

  for (const path of [
    'devices',
    '//host/x',
    '"/a?b=c"',
    '"/a#b"',
    '/a;b',
    '"/a\\\\b"',
    '"/a b"',
    '/%2e%2e',
    '/a%2fb',
    '/%252e',
    '[]',
  ]) {
    it(`are refused as literals: ${path}`, () => expect(codesFor(path)).to.deep.equal(['E307']))
  }
})
