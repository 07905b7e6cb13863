import { join } from 'node:path'
import {
  SyntaxKind,
  type CallExpression,
  type Expression,
  type Node,
  type SourceFile,
} from 'typescript/unstable/ast'
import {
  isArrowFunction,
  isAsExpression,
  isCallExpression,
  isConditionalExpression,
  isFunctionLikeDeclaration,
  isNonNullExpression,
  isParenthesizedExpression,
  isReturnStatement,
  isYieldExpression,
} from 'typescript/unstable/ast/is'
import { API, type Checker, type Type } from 'typescript/unstable/sync'

/** Folders with works, each with its project. */
const places = [
  { config: 'core/tsconfig.json', folders: /^core\/state\// },
  { config: 'server/tsconfig.json', folders: /^server\/(?:sql|sqlite|postgres)\// },
]

/**
 * Calls that make a work which nobody does: such a call does nothing, and the compiler does not report it. Each is `path:line call`.
 *
 * @param instead texts of files, by path from the root, in place of those on the disk
 */
export function findFloatingWorks(root: string, instead: ReadonlyMap<string, string>): readonly string[] {
  const api = new API({ cwd: root, fs: { readFile: (path) => instead.get(pathIn(root, path)) } })
  try {
    const opened = api.updateSnapshot({ openProjects: places.map(({ config }) => join(root, config)) })
    return places.flatMap(({ config, folders }) => {
      const project = opened.getProject(join(root, config))
      if (project === undefined) throw new Error(`the compiler cannot open ${config}`)
      const { checker, program } = project
      const names = program.getSourceFileNames().filter((name) => folders.test(pathIn(root, name)))
      if (names.length === 0) throw new Error(`${config} has no files with works`)
      return names.flatMap((name) => {
        const file = program.getSourceFile(name)
        return file === undefined ? [] : floatingIn(checker, file).map((call) => described(root, file, call))
      })
    })
  } finally {
    api.close()
  }
}

/** The compiler writes paths with `/` on every system. */
const pathIn = (root: string, path: string): string => path.slice(root.length + 1)

function floatingIn(checker: Checker, file: SourceFile): readonly CallExpression[] {
  const calls = callsIn(file)
  const types = checker.getTypeAtLocation(calls)
  return calls.filter((call, at) => {
    const type = types[at]
    if (isWork(checker, type)) return !isUsed(checker, call)
    return holdsWorks(checker, type) && !holdsWorks(checker, checker.getContextualType(wholeOf(call)))
  })
}

function described(root: string, file: SourceFile, call: CallExpression): string {
  const line = file.text.slice(0, call.getStart(file)).split('\n').length
  return `${pathIn(root, file.fileName)}:${line} ${call.getText(file).split('\n')[0]}`
}

function callsIn(node: Node): readonly CallExpression[] {
  const calls = isCallExpression(node) ? [node] : []
  node.forEachChild((child) => void calls.push(...callsIn(child)))
  return calls
}

/** Position of what is asked for, among the type arguments. */
const askedAt: Readonly<Record<string, number>> = { Stepwise: 1, Generator: 0 }

/** A computation that asks for statements, for nothing, or for what its caller decides. */
function isWork(checker: Checker, type: Type | undefined): boolean {
  if (type === undefined) return false
  if (type.isUnionType()) return type.getTypes().some((part) => isWork(checker, part))
  const at = askedAt[type.getSymbol()?.name ?? '']
  if (at === undefined || !type.isTypeReference()) return false
  const asked = checker.getTypeArguments(type)[at]
  if (asked === undefined) return false
  const isOpen = asked.isTypeParameter() || asked.id === checker.getNeverType().id
  return isOpen || asked.getSymbol()?.name === 'Statement'
}

/** Whether the type is an array or a promise of works. Only functions that take such a value, such as `together`, do these works. */
const holdsWorks = (checker: Checker, type: Type | undefined): boolean =>
  type?.isTypeReference() === true && checker.getTypeArguments(type).some((part) => isWork(checker, part))

/** The work is done by `yield*`, or is what its place expects, such as an argument or the result of a callback. */
function isUsed(checker: Checker, call: Expression): boolean {
  const value = wholeOf(call)
  const { parent } = value
  if (isYieldExpression(parent) && parent.asteriskToken !== undefined) return true
  const expected = checker.getContextualType(value)
  return expected === undefined ? isInferredResult(value) : isWork(checker, expected)
}

/** The outermost expression whose value is that of this one. */
function wholeOf(node: Expression): Expression {
  const { parent } = node
  const isSame =
    isParenthesizedExpression(parent) ||
    isAsExpression(parent) ||
    isNonNullExpression(parent) ||
    (isConditionalExpression(parent) && parent.condition !== node)
  return isSame ? wholeOf(parent) : node
}

/** The result of a function without a declared result: the calls of that function are judged. */
function isInferredResult({ parent }: Expression): boolean {
  if (!isArrowFunction(parent) && !isReturnStatement(parent)) return false
  let around: Node = parent
  while (!isFunctionLikeDeclaration(around)) around = around.parent
  const isGenerator = 'asteriskToken' in around && around.asteriskToken !== undefined
  const isAsync = around.modifiers?.some(({ kind }) => kind === SyntaxKind.AsyncKeyword) === true
  return !isGenerator && !isAsync
}
