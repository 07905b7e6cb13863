import { conversionFunctions } from './conversions.ts'
import { listFunctions } from './lists/lists.ts'
import { numberFunctions } from './lists/aggregates.ts'
import { setFunctions } from './lists/sets.ts'
import { matchFunctions } from './patterns/matches.ts'
import { regexFunctions } from './patterns/regex.ts'
import { encodingFunctions } from './encodings/encodings.ts'
import { hashFunctions } from './encodings/hashes.ts'
import { htmlFunctions } from './text/html.ts'
import { letterFunctions } from './text/letters.ts'
import { similarityFunctions } from './text/similarity.ts'
import { versionFunctions } from './text/versions.ts'
import type { ExpressionFunction } from './function.ts'
import { addressFunctions } from './network/addresses.ts'
import { indicatorFunctions } from './network/indicators.ts'
import { urlFunctions } from './network/urls.ts'
import { optionalFunctions } from './optionals.ts'
import { stringFunctions } from './text/strings.ts'
import { timeFunctions } from './times/times.ts'

/** All functions. Macros and `has` are syntax. */
export const allFunctions: readonly ExpressionFunction[] = [
  ...conversionFunctions,
  ...stringFunctions,
  ...matchFunctions,
  ...regexFunctions,
  ...listFunctions,
  ...numberFunctions,
  ...setFunctions,
  ...timeFunctions,
  ...optionalFunctions,
  ...addressFunctions,
  ...urlFunctions,
  ...indicatorFunctions,
  ...encodingFunctions,
  ...hashFunctions,
  ...letterFunctions,
  ...htmlFunctions,
  ...similarityFunctions,
  ...versionFunctions,
]

const byName = new Map(allFunctions.map((each) => [key(each.name, each.receiver), each]))

function key(name: string, receiver: boolean): string {
  return receiver ? `.${name}` : name
}

/** A function by its name: as `target.name(…)` when `receiver`, else as `name(…)`. */
export function findFunction(name: string, receiver: boolean): ExpressionFunction | undefined {
  return byName.get(key(name, receiver))
}
