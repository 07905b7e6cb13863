import { expect } from 'chai'
import { alpha3 } from './bookings/country-codes.ts'
import { countryCode } from './bookings/country.ts'
import { decodePlace } from './bookings/place.ts'

describe('countryCode', () => {
  const rows: readonly (readonly [string | null, string | null])[] = [
    ['GB', 'GB'],
    ['gb', 'GB'],
    ['UK', 'GB'],
    [' de ', 'DE'],
    ['United Kingdom', 'GB'],
    ['germany', 'DE'],
    ['United States', 'US'],
    ['United States of America', 'US'],
    ['Deutschland', 'Deutschland'],
    ['DEU', 'DE'],
    ['GBR', 'GB'],
    ['usa', 'US'],
    ['U.S.A.', 'US'],
    ['Virgin Islands (U.S.)', 'VI'],
    ['Virgin Islands, British', 'VG'],
    ['Netherlands, Kingdom of the', 'NL'],
    ['Taiwan, Province of China', 'TW'],
    ['Falkland Islands (Malvinas)', 'FK'],
    ['Hong Kong', 'HK'],
    ['Hong Kong SAR China', 'HK'],
    ['Macau', 'MO'],
    ['Czech Republic', 'CZ'],
    ['Turkey', 'TR'],
    ['Türkiye', 'TR'],
    ['Bosnia and Herzegovina', 'BA'],
    ['Bosnia & Herzegovina', 'BA'],
    ['Trinidad and Tobago', 'TT'],
    ['Myanmar', 'MM'],
    ['Russian Federation', 'RU'],
    ['Viet Nam', 'VN'],
    ['Great Britain', 'GB'],
    ['United Kingdom of Great Britain and Northern Ireland', 'GB'],
    ["Cote d'Ivoire", 'CI'],
    ['Côte d’Ivoire', 'CI'],
    ['Palestine', 'PS'],
    ['The Bahamas', 'BS'],
    ['Bahamas, The', 'BS'],
    ['The Gambia', 'GM'],
    ['Saint Lucia', 'LC'],
    ['St. Lucia', 'LC'],
    ['Korea, Republic of', 'KR'],
    ["Korea, Democratic People's Republic of", 'KP'],
    ['Congo, The Democratic Republic of the', 'CD'],
    ['Congo', 'CG'],
    ['Iran, Islamic Republic of', 'IR'],
    ['Bolivia (Plurinational State of)', 'BO'],
    ['Tanzania, United Republic of', 'TZ'],
    ['Republic of Moldova', 'MD'],
    ["People's Republic of China", 'CN'],
    ['Republic of China', 'TW'],
    ['Republic of Sudan', 'SD'],
    ['Dominican Republic', 'DO'],
    ['Dominica', 'DM'],
    ['Georgia', 'GE'],
    ['State of Georgia', 'State of Georgia'],
    ['XX', 'XX'],
    ['ZZ', 'ZZ'],
    ['', ''],
    ['constructor', 'constructor'],
    [null, null],
  ]
  for (const [text, code] of rows) {
    it(`reads ${JSON.stringify(text)} as ${code}`, () => {
      expect(countryCode(text)).to.equal(code)
    })
  }

  it('knows one three-letter code for each country in the Unicode CLDR', () => {
    const pairs = [...alpha3.matchAll(/(\w{3}) (\w{2})/g)].map(
      ([, long = '', code = '']) => [long, code] as const,
    )
    const names = new Intl.DisplayNames('en', { type: 'region', fallback: 'none' })
    expect(pairs).to.have.length(249)
    expect(new Set(pairs.map(([long]) => long))).to.have.property('size', 249)
    expect(new Set(pairs.map(([, code]) => code))).to.have.property('size', 249)
    for (const [long, code] of pairs) {
      expect(names.of(code), code).to.be.a('string')
      expect(countryCode(long)).to.equal(code)
      expect(countryCode(names.of(code) ?? '')).to.equal(code)
    }
  })
})

describe('decodePlace', () => {
  for (const [country, countryCode, code] of [
    ['Turkey', 'TR', 'TR'],
    ['TR', 'Turkey', 'TR'],
    ['TR', undefined, 'TR'],
    [undefined, 'tur', 'TR'],
    ['Georgia', 'US', 'US'],
    ['GB', '826', 'GB'],
    ['Turkey', 'XX', 'TR'],
    ['Atlantis', undefined, 'Atlantis'],
    [undefined, 'XX', 'XX'],
    [undefined, undefined, null],
  ] as const) {
    it(`reads country ${country} with countryCode ${countryCode} as ${code}`, () => {
      expect(decodePlace({ country, countryCode })?.country).to.equal(code)
    })
  }
})
