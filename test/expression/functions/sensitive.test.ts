import { expect } from 'chai'
import type { ParameterType } from '../../../core/expression/functions/function.ts'
import { allFunctions } from '../../../core/expression/functions/standard-library.ts'
import {
  bool,
  compileExpression,
  double,
  duration,
  dyn,
  int,
  isSensitive,
  list,
  map,
  sensitive,
  string,
  timestamp,
  type Type,
} from '../../../core/expression/index.ts'
import { optionalOf } from '../../../core/expression/types/types.ts'

const types: Readonly<Record<ParameterType, Type>> = {
  any: string,
  value: string,
  string,
  strings: list(string),
  number: double,
  numbers: list(double),
  summable: list(double),
  ordered: list(double),
  int,
  bool,
  list: list(string),
  map: map(string),
  timestamp,
  duration,
  optional: optionalOf(string),
}

/** The same type with a sensitive part. */
function marked(type: Type): Type {
  if (type.kind === 'list') return list(sensitive(type.element))
  if (type.kind === 'map') return map(sensitive(type.value))
  return type.kind === 'optional' ? optionalOf(sensitive(type.value)) : sensitive(type)
}

/** Their results do not reveal the value. */
const measuring = new Set(['size', 'type'])

describe('sensitive values', () => {
  it('stay sensitive in the result of each function, except bools and sizes', () => {
    const lost = allFunctions.flatMap(({ name, receiver, overloads }) =>
      overloads.flatMap(({ parameters }) =>
        [...parameters.keys()].flatMap((at) => {
          const args = parameters.map((_, index) => `a${index}`)
          const source = receiver ? `a0.${name}(${args.slice(1).join(', ')})` : `${name}(${args.join(', ')})`
          const given = parameters.map((parameter, index) =>
            index === at ? marked(types[parameter]) : types[parameter],
          )
          const names = Object.fromEntries(given.map((type, index) => [`a${index}`, type]))
          const { type, problems } = compileExpression(source, names)
          expect(problems, source).to.deep.equal([])
          const isFree = type.kind === 'bool' || measuring.has(name)
          return isFree || isSensitive(type) ? [] : [`${source} of a sensitive a${at}`]
        }),
      ),
    )
    expect(lost).to.deep.equal([])
  })

  it('stay sensitive in unknown data', () => {
    const scope = { x: sensitive(dyn) }
    for (const source of [
      'x.sort()',
      'x.groupBy(e, e.id)',
      'x.transformMap(k, v, v)',
      'x.first()',
      'x.flatten(2)',
      'regex.groups(x, x)',
    ])
      expect(isSensitive(compileExpression(source, scope).type), source).to.equal(true)
  })
})
