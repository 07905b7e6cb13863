import { ValidationError } from '../../../../core/errors/errors.ts'

const least = -(2n ** 63n)
const most = 2n ** 63n - 1n

/**
 * A JSON integer as an int64, exactly as it was written. `value` comes from `parseJson`, where digits beyond 2^53 are bigint;
 * `1e3` and `1.0` are integers too (JSON Schema), but beyond 2^53 such a spelling has already lost digits and is refused.
 *
 * @throws ValidationError `value_invalid`
 */
export function readInt64(value: unknown, pointer: string): bigint {
  if (typeof value === 'bigint') {
    if (value >= least && value <= most) return value
    throw invalid(pointer, `must be an int64, between ${least} and ${most}`)
  }
  if (typeof value === 'number' && Number.isSafeInteger(value)) return BigInt(value)
  if (typeof value === 'number' && Number.isInteger(value)) {
    throw invalid(
      pointer,
      'must be written in plain digits: with a fraction or exponent it is not exact beyond 2^53',
    )
  }
  throw invalid(pointer, 'must be a whole number')
}

function invalid(pointer: string, message: string): ValidationError {
  return new ValidationError('value_invalid', `${pointer.slice(1)} ${message}`, [{ pointer, message }])
}
