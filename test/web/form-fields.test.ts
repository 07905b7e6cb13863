import { expect } from 'chai'
import {
  changedSettings,
  mergeValues,
  savedFields,
  valuesOf,
} from '../../server/web/connections/connection.ts'
import {
  fieldErrors,
  fieldsOf,
  formObject,
  referenceMark,
  skeletonText,
} from '../../server/web/forms/form-fields.ts'

const fields = fieldsOf({
  required: ['token', 'url'],
  properties: {
    url: { type: 'string', title: 'URL', default: 'https://example.com' },
    token: { type: 'string', 'x-secret': true },
    mode: { enum: ['a', 'b'] },
    port: { type: 'integer' },
    on: { type: 'boolean' },
    list: { type: 'array' },
  },
})

describe('forms from a JSON Schema', () => {
  it('show required fields first, defaults last, and secrets masked', () => {
    expect(fields.map(({ name, kind }) => `${name} ${kind}`)).to.deep.equal([
      'token secret',
      'mode choice',
      'port number',
      'on yes_no',
      'list json',
      'url text',
    ])
    const url = { label: 'URL', placeholder: 'https://example.com', isRequired: false, isExtra: true }
    expect(fields.at(-1)).to.include(url)
  })

  it('omit blank fields, so that defaults apply', () => {
    const values = { token: 't', url: '', port: '8', on: false, list: '[1]' }
    expect(formObject(fields, values)).to.deep.equal({ token: 't', port: 8, on: false, list: [1] })
  })

  it('send a reference in place of a secret', () => {
    const saved = savedFields({ settings: { mode: 'a' }, secret_references: { token: 'vault:x#y' } })
    expect(saved).to.deep.equal({ mode: 'a', token: { reference: 'vault:x#y' } })
    const values = valuesOf(saved)
    expect(changedSettings(saved, formObject(fields, values)), 'nothing is changed').to.deep.equal({})
    const typed = { ...values, token: `${referenceMark} env:TOKEN ` }
    expect(changedSettings(saved, formObject(fields, typed))).to.deep.equal({
      token: { reference: 'env:TOKEN' },
    })
    expect(formObject(fields, { token: referenceMark })).to.deep.equal({})
  })

  it('send large integers with all their digits', () => {
    const values = { port: '9007199254740993', list: '[-9007199254740993, 1.5, {"a": 12345678901234567890}]' }
    expect(JSON.stringify(formObject(fields, values))).to.equal(
      '{"port":9007199254740993,"list":[-9007199254740993,1.5,{"a":12345678901234567890}]}',
    )
    expect(formObject(fields, { port: '8.5' })).to.deep.equal({ port: 8.5 })
    expect(formObject(fields, { port: '-' }), 'no number, for the API to refuse').to.deep.equal({ port: '-' })
  })

  it('show errors of the API at their fields', () => {
    const errors = [
      { pointer: '/settings/token', message: 'is missing' },
      { pointer: '/name', message: 'is taken' },
      { pointer: '/settings/token', message: 'must be a text' },
      { message: 'no place' },
    ]
    expect([...fieldErrors(errors, '/settings')]).to.deep.equal([['token', 'is missing; must be a text']])
    expect([...fieldErrors(errors, '')].map(([name]) => name)).to.deep.equal(['settings', 'name'])
  })

  it('send only changed settings, and remove blank ones', () => {
    const before = { url: 'https://a', mode: 'a', port: 1 }
    expect(changedSettings(before, { url: 'https://a', mode: 'b', token: 'new' })).to.deep.equal({
      mode: 'b',
      token: 'new',
      port: null,
    })
  })
  it('accept changes of others and keep edits', () => {
    const before = { url: 'https://a', mode: 'a', port: '1' }
    const typed = { ...before, mode: 'mine', token: 'secret' }
    expect(mergeValues(typed, before, { url: 'https://b', mode: 'b' })).to.deep.equal({
      url: 'https://b',
      mode: 'mine',
      token: 'secret',
    })
  })
})

describe('web: skeleton of an output', () => {
  it('has the required fields with placeholders and nothing else', () => {
    const schema = {
      type: 'object',
      required: ['id', 'state', 'tags', 'owner', 'score', 'kind', 'headers', 'done'],
      properties: {
        id: { type: 'string' },
        state: { type: 'string', enum: ['queued', 'done'] },
        tags: { type: 'array' },
        owner: { type: ['object', 'null'], required: ['name'], properties: { name: { type: 'string' } } },
        score: { type: ['number', 'null'] },
        kind: { const: 'scan' },
        headers: { type: 'object' },
        done: { type: 'boolean' },
        note: { type: 'string' },
      },
    } as const
    expect(skeletonText(schema)).to.equal(`{
  "id": …,
  "state": …,
  "tags": …,
  "owner": {
    "name": …
  },
  "score": …,
  "kind": "scan",
  "headers": …,
  "done": …
}`)
  })

  it('is an empty object without a schema', () => {
    expect(skeletonText({})).to.equal('{}')
    expect(skeletonText({ type: 'object' })).to.equal('{}')
  })
})
