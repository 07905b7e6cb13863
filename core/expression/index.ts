/** Expressions: a documented profile of CEL over JSON. See docs/expressions.md. */
export { explainMismatch, isAssignable } from './assignable.ts'
export { Budget, evaluationBytes, evaluationFuel } from './budget.ts'
export { ExpressionError } from './errors.ts'
export type { ExpressionErrorCode, ExpressionProblem, ExpressionProblemCode, Span } from './errors.ts'
export { compileExpression } from './expression.ts'
export type { CompiledExpression, CompileOptions } from './expression.ts'
export type { Fact } from './narrowing.ts'
export type { Program, Reference } from './program.ts'
export { typeOfSchema } from './schema-types.ts'
export { toJsonValue, toText } from './to-json.ts'
export {
  admitsNull,
  bool,
  describeType,
  double,
  duration,
  dyn,
  enumeration,
  int,
  integer,
  list,
  map,
  nullable,
  nullType,
  number,
  object,
  optional,
  string,
  timestamp,
  union,
  withoutNull,
} from './types.ts'
export type { NumberType, ObjectType, Property, StringType, Type } from './types.ts'
