/**
 * The expression language: a profile of CEL over JSON, see docs/expressions.md. `parse` gives a tree, `check`
 * its types and problems,
 * `evaluate` a program; `functions` is the standard library; `values` and `types` define its data.
 */
export { explainMismatch } from './check/assignable.ts'
export { Budget } from './values/budget.ts'
export { ExpressionError } from './values/errors.ts'
export type { ExpressionErrorCode, ExpressionProblem, ExpressionProblemCode, Span } from './values/errors.ts'
export { compileExpression } from './expression.ts'
export type { CompiledExpression, CompileOptions } from './expression.ts'
export { patternWeight } from './functions/patterns/pattern-weight.ts'
export { isAbout } from './check/narrowing.ts'
export { isNamespaced, keywords, macros, reserved } from './parse/words.ts'
export type { Program, Reference } from './evaluate/program.ts'
export { typeOfSchema } from './types/schema-types.ts'
export { nanosIn, timestampIn } from './values/time.ts'
export { toJsonOrNothing, toJsonValue, toText } from './values/to-json.ts'
export {
  admitsNull,
  bool,
  describeType,
  double,
  duration,
  dyn,
  elementOfUnknown,
  enumeration,
  epochMilliseconds,
  int,
  integer,
  isSensitive,
  list,
  map,
  membersOf,
  nullable,
  nullType,
  number,
  object,
  optional,
  sensitive,
  string,
  textOfTime,
  timestamp,
  union,
  withoutNull,
} from './types/types.ts'
export type { ObjectType, Property, Type } from './types/types.ts'
export { comparedWithText } from './check/checker.ts'
export type { WrittenText } from './parse/written-texts.ts'
export { childrenOf, type AstNode } from './parse/ast.ts'
export { inspectExpression, globalFunctions, methodsOf, type InspectedExpression } from './inspect.ts'
export { compilePattern } from './functions/patterns/pattern.ts'
export { type Fact } from './check/facts.ts'
