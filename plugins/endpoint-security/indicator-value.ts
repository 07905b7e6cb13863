import { SkillError } from 'tocsin/plugin'

const digits: Readonly<Record<string, number>> = {
  FileMd5: 32,
  FileSha1: 40,
  FileSha256: 64,
  CertificateThumbprint: 40,
}

/**
 * Refuses what the platform would refuse, or take for something else, with a word about what is meant.
 *
 * @throws SkillError `invalid_indicator`
 */
export function checkIndicatorValue(indicator: {
  readonly indicatorValue: string
  readonly indicatorType: string
  readonly action: string
  readonly generateAlert?: boolean | undefined
}): void {
  const { indicatorValue, indicatorType, action, generateAlert } = indicator
  const length = digits[indicatorType]
  if (length !== undefined && !(indicatorValue.length === length && /^[0-9a-f]+$/i.test(indicatorValue))) {
    throw invalid(`${indicatorType} has ${length} hexadecimal digits`)
  }
  if (indicatorType === 'IpAddress' && indicatorValue.includes('/')) {
    throw invalid('ranges of addresses are not taken: one IpAddress each')
  }
  if (indicatorType === 'DomainName' && /[/:\s@]/.test(indicatorValue)) {
    throw invalid('a DomainName is a name alone, without scheme, port or path')
  }
  if (action === 'Audit' && generateAlert !== true) throw invalid('Audit needs generateAlert: true')
}

const invalid = (why: string): SkillError =>
  new SkillError('invalid_indicator', why, {
    hint: 'correct indicatorValue, indicatorType or action of the step',
  })
