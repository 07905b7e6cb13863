import { expect } from 'chai'
import {
  compileExpression,
  dyn,
  isSensitive,
  toJsonValue,
  typeOfSchema,
} from '../../../core/expression/index.ts'
import { typeText } from '../../../core/editor/type-text.ts'
import { names, problems } from '../checked.ts'
import { evaluate, failure } from '../evaluated.ts'

const typeOf = (source: string): string => typeText(compileExpression(source, names).type)

describe('macros', () => {
  it('group and index elements by a key', () => {
    const x = [
      { ip: 'a', n: 1 },
      { ip: 'b', n: 2 },
      { ip: 'a', n: 3 },
    ]
    expect(evaluate('x.groupBy(e, e.ip).transformMap(ip, all, all.map(e, e.n))', { x })).to.deep.equal({
      a: [1, 3],
      b: [2],
    })
    expect(evaluate('x.indexBy(e, e.n)', { x })).to.deep.equal({ 1: x[0], 2: x[1], 3: x[2] })
    expect(failure('x.indexBy(e, e.ip)', { x })).to.include({
      code: 'expression_duplicate_key',
      hint: 'groupBy keeps all elements of a key',
    })
    expect(failure('x.groupBy(e, e.n)', { x: [{ n: null }] })).to.include({
      message: 'null cannot be the key of a map',
    })
    expect(evaluate('x.groupBy(e, e)', { x: ['__proto__'] })).to.have.own.property('__proto__')
  })

  it('have the index or key as a first variable', () => {
    const x = { a: 1, b: null }
    expect(evaluate('x.transformList(k, v, v != null, k + "=" + string(v))', { x })).to.deep.equal(['a=1'])
    expect(evaluate('[x.all(k, v, k != ""), x.exists(k, v, v == null)]', { x })).to.deep.equal([true, true])
    expect(evaluate('x.transformMapEntry(i, p, {p.k: p.v})', { x: [{ k: 'a', v: 1 }] })).to.deep.equal({
      a: 1,
    })
    expect(failure('x.transformMapEntry(i, p, {"a": p})', { x: [1, 2] }).code).to.equal(
      'expression_duplicate_key',
    )
    expect(failure('x.transformMapEntry(i, p, p)', { x: [1] }).code).to.equal('expression_wrong_type')
    expect(evaluate('x.map(a, x.transformList(i, b, a * 10 + b + i))', { x: [1, 2] })).to.deep.equal([
      [11, 13],
      [21, 23],
    ])
  })

  it('narrow types by their conditions', () => {
    expect(problems('b.rows.transformList(i, r, has(r.tag), r.tag)')).to.deep.equal([])
    expect(problems('b.rows.transformList(i, r, r.tag)')[0]).to.include('may be missing')
    expect(problems('b.owners.filter(o, o != null).groupBy(o, o.name)')).to.deep.equal([])
    expect(problems('b.owners.groupBy(o, o.name)')[0]).to.include('o may be null')
    expect(problems('b.rows.filter(r, has(r.tag)).sortBy(r, r.tag)')).to.deep.equal([])
  })

  it('have results typed from their elements', () => {
    expect(typeOf('b.rows.groupBy(r, r.id)')).to.equal(typeOf('b.rows.groupBy(r, r.id)'))
    expect(typeOf('b.rows.indexBy(r, "k")["k"].id')).to.equal('integer')
    expect(typeOf('b.rows.groupBy(r, "k")["k"][0].id')).to.equal('integer')
    expect(typeOf('b.rows.sortBy(r, r.id)[0].id')).to.equal('integer')
    expect(typeOf('b.tags.distinct().sort().reverse().slice(0)')).to.equal('list(string)')
    expect(typeOf('[b.tags].flatten()')).to.equal('list(string)')
    expect(typeOf('b.tags.first()')).to.equal('optional(string)')
    expect(typeOf('b.rows.map(r, r.id).max()')).to.equal('integer')
    expect(typeOf('b.tags.transformList(i, t, i)')).to.equal('list(int)')
    expect(problems('b.rows.indexBy(r, "k")["k"].nope')[0]).to.include("has no field 'nope'")
    expect(problems('{"a": 1}.merge({"b": "x"}).c')[0]).to.include('it has a, b')
  })

  it('report keys and variables that do not fit', () => {
    expect(problems('b.rows.groupBy(r, r)')[0]).to.include('object cannot be the key of a map')
    expect(problems('b.rows.sortBy(r, r.?tag)')[0]).to.include('get the value with orValue(…)')
    expect(problems('b.status.groupBy(r, r)')[0]).to.include('groupBy() works on a list')
    expect(problems('b.tags.all(x, x, true)')[0]).to.include('all() needs two different names')
    expect(problems('b.tags.transformList(1, x, true)')[0]).to.include('the first two arguments')
    expect(problems('b.tags.transformMap(x, x)')[0]).to.include('transformMap() takes two names')
    expect(problems('b.tags.transformMapEntry(i, x, x)')[0]).to.include('needs a map such as {key: value}')
  })

  it('pass sensitive values on', () => {
    const scope = {
      x: typeOfSchema({
        type: 'array',
        items: {
          type: 'object',
          required: ['id', 'token'],
          properties: { id: { type: 'string' }, token: { type: 'string', 'x-sensitive': true } },
        },
      }),
    }
    const isMarked = (source: string): boolean => isSensitive(compileExpression(source, scope).type)
    for (const source of [
      'x.sortBy(e, e.id)',
      'x.groupBy(e, e.id)["a"][0].token',
      'x.groupBy(e, e.token)',
      'x.indexBy(e, e.id)',
      'x.transformMap(i, e, e.token)',
      'x.transformMapEntry(i, e, {e.token: 1})',
      'x.map(e, e.token).distinct().sort().first()',
      'x.map(e, e.token).max()',
      'x.map(e, e.token).reverse().join()',
      '["a"].zipMap(x)["a"].token',
      'x[0].merge({"a": 1}).token',
      'lists.range(3).map(i, x[i].token).flatten()',
    ])
      expect(isMarked(source), source).to.equal(true)
    expect(isMarked('x.groupBy(e, e.id).transformMap(id, all, all.map(e, e.id))')).to.equal(false)
    expect(isMarked('x[0].merge({"token": "x"}).token')).to.equal(false)
  })

  it('may use the name of a namespace for a variable', () => {
    expect(evaluate('x.map(hex, hex.lowerAscii())', { x: ['AB'] })).to.deep.equal(['ab'])
    expect(evaluate('x.map(math, math.size())', { x: ['AB'] })).to.deep.equal([2])
    expect(problems('math.ciel(1.5)')).to.deep.equal([
      "unknown_function: math.ciel: there is no function 'math.ciel' (did you mean math.ceil?)",
    ])
  })
})

describe('optional selection', () => {
  it('gives nothing where a value before it is null', () => {
    const scope = { x: { a: null, b: 1 } }
    expect(
      evaluate('[x.?a.?b.orValue(7), x.?a[?"b"].orValue(7), x[?"a"].?b.?c.orValue(7)]', scope),
    ).to.deep.equal([7, 7, 7])
    expect(evaluate('x.?a.orValue(7)', scope)).to.equal(null)
    expect(failure('x.a.?b', scope)).to.include({ hint: 'check x.a != null first' })
    expect(failure('x.?a.b', scope)).to.include({ code: 'expression_wrong_type' })
    expect(failure('x.?b.?c', scope)).to.include({ code: 'expression_wrong_type' })
  })

  it('needs no check for null before', () => {
    expect(problems('b.?owner.?name.orValue("x")')).to.deep.equal([])
    expect(problems('b.owner.?name')).to.deep.equal([
      'nullable: b.owner: b.owner may be null (write b.?owner.?…, which gives nothing for null)',
    ])
    const { program, problems: none } = compileExpression('x.?owner.?name.orValue("x")', {
      x: typeOfSchema({
        type: 'object',
        properties: { owner: { type: ['object', 'null'], properties: { name: { type: 'string' } } } },
      }),
    })
    expect(none).to.deep.equal([])
    expect(toJsonValue(program?.evaluate({ x: { owner: null } }))).to.equal('x')
    expect(compileExpression('x.?a.?b', { x: dyn }).problems).to.deep.equal([])
  })
})
