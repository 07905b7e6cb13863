/** Expressions: a documented profile of CEL over JSON. See docs/expressions.md. */
export { explainMismatch } from './assignable.ts'
export { Budget } from './budget.ts'
export { ExpressionError } from './errors.ts'
export type { ExpressionErrorCode, ExpressionProblem, ExpressionProblemCode } from './errors.ts'
export { compileExpression } from './expression.ts'
export type { CompiledExpression, CompileOptions } from './expression.ts'
export { patternWeight } from './functions/pattern-weight.ts'
export { isAbout, type Fact } from './narrowing.ts'
export { keywords, reserved } from './parser.ts'
export type { Program, Reference } from './program.ts'
export { typeOfSchema } from './schema-types.ts'
export { nanosIn, timestampIn } from './time.ts'
export { toJsonValue, toText } from './to-json.ts'
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
} from './types.ts'
export type { ObjectType, Property, Type } from './types.ts'
export { comparedWithText } from './checker.ts'
export type { WrittenText } from './written-texts.ts'
