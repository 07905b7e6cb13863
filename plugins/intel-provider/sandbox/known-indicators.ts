import type { IndicatorKind } from '../indicator.ts'

/**
 * An indicator for which the sandbox generates a record. All others are unknown, except the recorded ones.
 */
export interface KnownIndicator {
  readonly kind: IndicatorKind
  readonly value: string
  /** 0 to 99; determines the level. */
  readonly score: number
  /** Name of the rule and its evidence. */
  readonly rules: readonly (readonly [rule: string, seen: string])[]
}

const bruteForce = 'Recent SSH/Dictionary Attacker'
const phishing = 'Recently Active URL on Phishing Domain'

/**
 * Made up for demonstrations. The addresses are from documentation ranges or public sample alerts; the
 * ratings are fictional.
 */
export const knownIndicators: readonly KnownIndicator[] = [
  // Known bad
  {
    kind: 'ip',
    value: '203.0.113.77',
    score: 92,
    rules: [
      [bruteForce, '482 failed sign-ins reported by 7 sources within a day.'],
      ['Recent Multicategory Blocklist', 'Listed by 3 blocklists.'],
    ],
  },
  {
    kind: 'ip',
    value: '213.108.133.9',
    score: 85,
    rules: [[bruteForce, '31 sightings on 4 sources of RDP brute force attacks.']],
  },
  {
    kind: 'domain',
    value: 'examp1e.com',
    score: 89,
    rules: [
      ['Recent Typosquat Similarity - Typo or Homograph', 'One character differs from example.com.'],
      ['Recently Reported as Phishing', 'A sign-in page that collects passwords.'],
    ],
  },
  {
    kind: 'domain',
    value: 'login-example.com',
    score: 79,
    rules: [
      ['Recent Typosquat Similarity - DNS Sandwich', 'Contains the name of <e id=Cq_xI>Example Corp</e>.'],
    ],
  },
  {
    kind: 'domain',
    value: 'evil.example',
    score: 95,
    rules: [['Recent C&C DNS Name', 'Seen in 2 malware samples.']],
  },
  {
    kind: 'domain',
    value: 'phish1.com',
    score: 90,
    rules: [['Recently Reported as Phishing', 'Reported by 5 sources.']],
  },
  {
    kind: 'domain',
    value: 'phish2.com',
    score: 78,
    rules: [['Recently Reported as Phishing', 'Reported by 2 sources.']],
  },
  {
    kind: 'domain',
    value: 'malware-download.com',
    score: 99,
    rules: [['Recently Active Weaponized Domain', 'Delivers a loader.']],
  },
  {
    kind: 'url',
    value: 'https://examp1e.com/login?u=bo%40example.com',
    score: 91,
    rules: [[phishing, 'The page asks for the password of the address in its query.']],
  },
  { kind: 'url', value: 'http://phish1.com/', score: 90, rules: [[phishing, 'Reported by 5 sources.']] },
  { kind: 'url', value: 'http://phish2.com/', score: 78, rules: [[phishing, 'Reported by 2 sources.']] },
  {
    kind: 'url',
    value: 'http://malware-download.com/',
    score: 99,
    rules: [['Recently Detected Malware Distribution', 'Delivers a loader.']],
  },
  {
    kind: 'url',
    value: 'https://suspicious-url.com/click/example/EW71AW9IBJ7ZQHKRF6JN/',
    score: 71,
    rules: [[phishing, 'Redirects to a sign-in page on another domain.']],
  },
  {
    kind: 'url',
    value: 'https://do-not-click-me.com/click/example/EW71AW9IBJ7ZQHKRF6JN/',
    score: 68,
    rules: [[phishing, 'Redirects to a sign-in page on another domain.']],
  },
  {
    kind: 'hash',
    value: '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08',
    score: 89,
    rules: [['Positive Malware Verdict', 'An HTML page that sends passwords away, named like an invoice.']],
  },
  {
    kind: 'hash',
    value: '488e74e2026d03f21b33f470c23b3de2f466643186c2e06ae7b4883cc2e59377',
    score: 81,
    rules: [['Linked to Malware', 'Starts a miner of crypto currency.']],
  },
  {
    kind: 'vulnerability',
    value: 'CVE-2021-44228',
    score: 99,
    rules: [['Exploited in the Wild by Recently Active Malware', 'Used by 12 malware families.']],
  },
  {
    kind: 'vulnerability',
    value: 'CVE-2025-55182',
    score: 97,
    rules: [['Recently Exploited in the Wild', 'Scans and working exploits are seen widely.']],
  },

  // Medium risk
  {
    kind: 'ip',
    value: '185.220.101.45',
    score: 58,
    rules: [['Tor Node', 'An exit of the Tor network.']],
  },
  { kind: 'ip', value: '185.220.103.6', score: 55, rules: [['Tor Node', 'An exit of the Tor network.']] },
  {
    kind: 'ip',
    value: '198.51.100.7',
    score: 41,
    rules: [['Recently Reported VPN Exit', 'Sold by a VPN service.']],
  },

  // Low risk
  {
    kind: 'ip',
    value: '8.8.8.8',
    score: 5,
    rules: [['Historically Reported in Threat List', 'Last seen in 2020.']],
  },
  {
    kind: 'ip',
    value: '1.1.1.1',
    score: 5,
    rules: [['Historically Reported in Threat List', 'Last seen in 2020.']],
  },
  { kind: 'domain', value: 'example.com', score: 0, rules: [] },
  { kind: 'url', value: 'https://example.com/', score: 0, rules: [] },
  {
    kind: 'hash',
    value: '275a021bbfb6489e54d471899f7db9d1663fc695ec2fe2a2c4538aabf651fd0f',
    score: 15,
    rules: [['Historically Reported in Threat List', 'The EICAR test file: harmless, made to be detected.']],
  },
  {
    kind: 'hash',
    value: '44d88612fea8a8f36de82e1278abb02f',
    score: 15,
    rules: [['Historically Reported in Threat List', 'The EICAR test file: harmless, made to be detected.']],
  },
]
