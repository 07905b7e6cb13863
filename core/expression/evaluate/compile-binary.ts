import type { BinaryNode } from '../parse/ast.ts'
import { type Compiler, type EvaluationFrame, type CompiledNode } from './frame.ts'
import { add, compare, divide, equals, isIn, modulo, multiply, subtract } from '../values/operators.ts'
import { kindOfTime } from '../values/text-times.ts'
import type { Value } from '../values/values.ts'

/** An operator between two values. */
export function compileBinary(node: BinaryNode, compiler: Compiler): CompiledNode {
  const left = compiler.compile(node.left, compiler)
  const right = compiler.compile(node.right, compiler)
  switch (node.operator) {
    case '+':
      return (frame) => add(left(frame), right(frame), frame, node)
    case '-':
      return (frame) => subtract(left(frame), right(frame), frame, node)
    case '*':
      return (frame) => multiply(left(frame), right(frame), node)
    case '/':
      return (frame) => divide(left(frame), right(frame), node)
    case '%':
      return (frame) => modulo(left(frame), right(frame), node)
    case 'in':
      return (frame) => isIn(left(frame), right(frame), frame, node)
    case '==':
    case '!=':
      return compileEquality(node, left, right)
    case '<':
    case '<=':
    case '>':
    case '>=':
      return compileOrder(node, left, right)
  }
}

function compileEquality(node: BinaryNode, left: CompiledNode, right: CompiledNode): CompiledNode {
  const wanted = node.operator === '=='
  const literal = literalOf(node.right)
  const isPlainText = typeof literal === 'string' && kindOfTime(literal) === undefined
  if (isPlainText || typeof literal === 'boolean' || literal === null) {
    return (frame) => (left(frame) === literal) === wanted
  }
  return (frame) => equals(left(frame), right(frame), frame, node) === wanted
}

const tests: Readonly<Record<string, (order: number) => boolean>> = {
  '<': (order) => order < 0,
  '<=': (order) => order <= 0,
  '>': (order) => order > 0,
  '>=': (order) => order >= 0,
}

function compileOrder(node: BinaryNode, left: CompiledNode, right: CompiledNode): CompiledNode {
  const { operator } = node
  const test = tests[operator]!
  const general = (a: Value, b: Value, frame: EvaluationFrame): boolean =>
    test(compare(operator, a, b, frame, node))
  const literal = literalOf(node.right)
  // Most conditions compare data with a literal: JSON numbers are compared without bigint.
  const size =
    typeof literal === 'bigint' && Number.isSafeInteger(Number(literal)) ? Number(literal) : literal
  if (typeof size !== 'number') return (frame) => general(left(frame), right(frame), frame)
  const constant = literal as Value
  if (operator === '<') {
    return (frame) => {
      const value = left(frame)
      return typeof value === 'number' ? value < size : general(value, constant, frame)
    }
  }
  if (operator === '<=') {
    return (frame) => {
      const value = left(frame)
      return typeof value === 'number' ? value <= size : general(value, constant, frame)
    }
  }
  if (operator === '>') {
    return (frame) => {
      const value = left(frame)
      return typeof value === 'number' ? value > size : general(value, constant, frame)
    }
  }
  return (frame) => {
    const value = left(frame)
    return typeof value === 'number' ? value >= size : general(value, constant, frame)
  }
}

const literalOf = (node: BinaryNode['right']): Value | undefined =>
  node.kind === 'literal' ? node.value : undefined
