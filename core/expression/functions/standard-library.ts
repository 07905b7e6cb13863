import { conversionFunctions } from './conversions.ts'
import { listFunctions } from './lists/lists.ts'
import { numberFunctions } from './lists/aggregates.ts'
import { setFunctions } from './lists/sets.ts'
import { matchFunctions } from './patterns/matches.ts'
import { encodingFunctions } from './encodings/encodings.ts'
import type { ExpressionFunction } from './function.ts'
import { indicatorFunctions } from './network/indicators.ts'
import { optionalFunctions } from './optionals.ts'
import { stringFunctions } from './text/strings.ts'
import { timeFunctions } from './times/times.ts'

/** All functions. Macros and `has` are syntax. */
export const allFunctions: readonly ExpressionFunction[] = [
  ...conversionFunctions,
  ...stringFunctions,
  ...matchFunctions,
  ...listFunctions,
  ...numberFunctions,
  ...setFunctions,
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
