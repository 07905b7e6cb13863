import { isObject, objectsAt, textAt, valueAt, type JsonObject } from '../../plugin/index.ts'
import type { ApiDocument } from './api-document.ts'
import { cleanText } from './clean-text.ts'
import { snakeCase } from './names.ts'

const methods = ['get', 'head', 'post', 'put', 'patch', 'delete'] as const
export type ApiMethod = (typeof methods)[number]

/** An operation of a document. */
export interface ApiOperation {
  /** Its place in the document, from 1. */
  readonly number: number
  /** The `operationId`; if absent, a name made from method and path. */
  readonly id: string
  readonly method: ApiMethod
  readonly path: string
  readonly summary: string
  readonly isDeprecated: boolean
  readonly raw: JsonObject
  /** The keys that the operations of the path share. */
  readonly shared: JsonObject
}

/** Maximum number of operations of a document. */
const maxOperations = 100_000
const maxPathLength = 1_000

/** All operations of a document, in its order. */
export function operationsOf(document: ApiDocument): readonly ApiOperation[] {
  const paths = valueAt(document.root, 'paths')
  const operations: ApiOperation[] = []
  for (const [path, item] of Object.entries(isObject(paths) ? paths : {})) {
    const shared = document.resolve(item)
    if (!isObject(shared) || !path.startsWith('/') || path.length > maxPathLength) continue
    for (const method of methods) {
      const raw = document.resolve(valueAt(shared, method))
      if (!isObject(raw)) continue
      if (operations.length === maxOperations) {
        const message = `only the first ${maxOperations} operations are read`
        document.add({ severity: 'warning', pointer: '/paths', message })
        return operations
      }
      operations.push(operationOf(operations.length + 1, method, path, raw, shared))
    }
  }
  if (operations.length === 0)
    document.add({ severity: 'error', pointer: '/paths', message: 'the document has no operations' })
  return operations
}

function operationOf(
  number: number,
  method: ApiMethod,
  path: string,
  raw: JsonObject,
  shared: JsonObject,
): ApiOperation {
  return {
    number,
    id: oneLine(textAt(raw, 'operationId')) ?? snakeCase(`${method}_${path}`) ?? method,
    method,
    path,
    summary: cleanText(textAt(raw, 'summary') ?? textAt(raw, 'description'), 100) ?? '',
    isDeprecated: valueAt(raw, 'deprecated') === true,
    raw,
    shared,
  }
}

const oneLine = (id: string | null): string | undefined =>
  id
    ?.slice(0, 200)
    .replaceAll(/[\p{Cc}\p{Cf}]+/gu, '')
    .trim() || undefined

/** A parameter, of the path or of the operation itself. */
export type OperationParameter = JsonObject & { readonly name: string; readonly in: string }

/** The parameters of an operation; its own ones replace those of the path. */
export function parametersOf(
  document: ApiDocument,
  { raw, shared }: ApiOperation,
): readonly OperationParameter[] {
  const found = new Map<string, OperationParameter>()
  for (const holder of [shared, raw])
    for (const each of objectsAt(holder, 'parameters').slice(0, 200)) {
      const parameter = document.resolve(each)
      const name = textAt(parameter, 'name')
      const place = textAt(parameter, 'in')
      if (name === null || place === null || name === '__proto__') continue
      found.set(`${place} ${name}`, { ...(parameter as JsonObject), name, in: place })
    }
  return [...found.values()]
}

/** The operations that match all words of a search, in any order. */
export function searchOperations(operations: readonly ApiOperation[], text: string): readonly ApiOperation[] {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean)
  return operations.filter(({ id, method, path, summary }) => {
    const searched = `${id} ${method} ${path} ${summary}`.toLowerCase()
    return words.every((word) => searched.includes(word))
  })
}

/** The result of choosing operations by text. */
export interface ChosenOperations {
  readonly operations: readonly ApiOperation[]
  /** The parts of the text that match no operation, or several. */
  readonly unknown: readonly string[]
}

/**
 * Chooses operations by id, by number, by range of numbers or by method and path, separated by commas.
 *
 * @example chooseOperations(all, 'listUsers, 12-14, GET /users/{id}')
 */
export function chooseOperations(operations: readonly ApiOperation[], text: string): ChosenOperations {
  const byId = Map.groupBy(operations, ({ id }) => id)
  const chosen = new Set<ApiOperation>()
  const unknown: string[] = []
  for (const part of partsOf(text)) {
    const [, first, last = first] = /^(\d{1,6})(?:\s*-\s*(\d{1,6}))?$/.exec(part) ?? []
    const [, method, path] = /^([a-z]+)\s+(\/.*)$/i.exec(part) ?? []
    const named = byId.get(part) ?? []
    const found =
      named.length === 1
        ? named
        : path !== undefined
          ? operations.filter((each) => each.path === path && each.method === method?.toLowerCase())
          : operations.slice(Number(first) - 1, Number(last))
    if (found.length === 0 || first === '0') unknown.push(part)
    for (const operation of first === '0' ? [] : found) chosen.add(operation)
  }
  return { operations: [...chosen].toSorted((a, b) => a.number - b.number), unknown }
}

/** Split at commas, except inside of the braces of a path. */
const partsOf = (text: string): readonly string[] =>
  text
    .split(/,(?![^{}]*\})/)
    .map((part) => part.trim())
    .filter((part) => part !== '')
