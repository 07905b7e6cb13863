import type { CallNode } from '../../parse/ast.ts'
import { isNamespace, macros } from '../../parse/words.ts'
import type { Checker, TypeScope } from '../checker.ts'
import { allFunctions, findFunction } from '../../functions/standard-library.ts'
import { nearest } from '../../../common/nearest.ts'
import { dyn } from '../../types/types.ts'
import { familiarFunction } from './familiar-functions.ts'

/** The arguments of an unknown function. In `list.filtr(x, x > 1)` the name is a variable. */
export function inferUnknown(checker: Checker, { target, args }: CallNode, scope: TypeScope): void {
  if (target) checker.infer(target, scope)
  const last = args.at(-1)
  const names = args.slice(0, -1).map((node) => (node.kind === 'ident' ? node.name : ''))
  const isNew = (name: string) =>
    name !== '' && !scope.variables.has(name) && !Object.hasOwn(checker.names, name)
  const words = new Set(last && checker.text(last).split(/\W+/))
  const isMacro = target && last && names.every(isNew) && names.some((name) => words.has(name))
  if (!isMacro) for (const each of args) checker.infer(each, scope)
  else
    checker.infer(
      last,
      names.reduce((at, name) => checker.hiding(at, name, dyn), scope),
    )
}

/** Methods that other languages have as functions of several values. */
const asFunctions: ReadonlyMap<string, string> = new Map([
  ['min', 'write math.least(a, b), or list.min()'],
  ['max', 'write math.greatest(a, b), or list.max()'],
  ['sum', 'write list.sum(), or join numbers with +'],
  ['format', 'write "%s".format([x]), or time.format("%Y-%m-%d")'],
  ['contains', 'write text.contains(part), or value in list'],
])

/** Objects and modules of JavaScript and Python that contain functions. */
const foreignNamespaces: ReadonlySet<string> = new Set(
  'JSON Object Math Date Array Number String Buffer crypto Intl datetime re hashlib'.split(' '),
)

/** Functions of other languages whose last name alone has a different meaning. */
const inForeignNamespaces: ReadonlyMap<string, string> = new Map([
  ['JSON.parse', 'write parseJson(…)'],
  ['Date.now', 'write now'],
  ['datetime.now', 'write now'],
  ['Date.parse', 'write timestamp(…)'],
  ['String.raw', 'write r"…"'],
])

function hintForForeign(full: string, name: string): string {
  const same = `math.${name}`
  return (
    inForeignNamespaces.get(full) ??
    asFunctions.get(name) ??
    (findFunction(same, false) === undefined ? familiarFunction(name) : `write ${same}(…)`) ??
    'call functions without an object in front, such as parseJson(text)'
  )
}

export function reportUnknown(checker: Checker, node: CallNode): void {
  const other = findFunction(node.name, node.target === undefined)
  const names = allFunctions
    .filter((each) => each.receiver === (node.target !== undefined))
    .map((each) => each.name)
  // Short names are all similar to each other: `x.max()` is not `x.map(each, …)`.
  const isShort = node.name.length <= 3
  const takesName = node.target !== undefined && (!isShort || node.args.length >= 2)
  const near = nearest(node.name, [...names, ...(takesName ? macros.keys() : node.target ? [] : ['has'])])
  const hint = other
    ? other.receiver
      ? (asFunctions.get(node.name) ?? `write value.${node.name}(…)`)
      : `write ${node.name}(value)`
    : (familiarFunction(node.name) ?? (near === undefined ? undefined : `did you mean ${near}?`))
  checker.problem('unknown_function', `there is no function '${node.name}'`, node.nameSpan, hint)
}

/**
 * `math.ciel(x)` or `JSON.parse(x)`: an unknown function of a namespace. Whether it is reported; a variable of
 * the same name is no namespace.
 */
export function reportNamespace(checker: Checker, node: CallNode, scope: TypeScope): boolean {
  if (node.target?.kind !== 'ident') return false
  const { name } = node.target
  const isForeign = foreignNamespaces.has(name)
  if (!isForeign && !isNamespace(name)) return false
  if (scope.variables.has(name) || Object.hasOwn(checker.names, name)) return false
  for (const each of node.args) checker.infer(each, scope)
  const full = `${name}.${node.name}`
  const near = isForeign
    ? undefined
    : nearest(
        full,
        allFunctions.map((each) => each.name),
      )
  const known = findFunction(node.name, true) && `write value.${node.name}(…)`
  const hint = isForeign
    ? hintForForeign(full, node.name)
    : near === undefined
      ? (known ?? familiarFunction(node.name))
      : `did you mean ${near}?`
  const span = { start: node.target.start, end: node.nameSpan.end }
  checker.problem('unknown_function', `there is no function '${full}'`, span, hint)
  return true
}
