import { conversionFunctions } from './conversions.ts'
import { encodingFunctions } from './encodings.ts'
import type { ExpressionFunction } from './function.ts'
import { indicatorFunctions } from './indicators.ts'
import { optionalFunctions } from './optionals.ts'
import { stringFunctions } from './strings.ts'
import { timeFunctions } from './times.ts'

/** All functions. Macros and `has` are syntax. */
export const allFunctions: readonly ExpressionFunction[] = [
  ...conversionFunctions,
  ...stringFunctions,
  ...timeFunctions,
  ...optionalFunctions,
  ...indicatorFunctions,
  ...encodingFunctions,
]

const byName = new Map(allFunctions.map((each) => [key(each.name, each.receiver), each]))

function key(name: string, receiver: boolean): string {
  return receiver ? `.${name}` : name
}

/** A function by its name: as `target.name(…)` when `receiver`, else as `name(…)`. */
export function findFunction(name: string, receiver: boolean): ExpressionFunction | undefined {
  return byName.get(key(name, receiver))
}
