/** Recognizes the product of an alert and reads its title, severity, time and observables. */
export type { SendingWay } from './alert-source.ts'
export { identifyAlert, subjectsOf, type IdentifiedAlert } from './alert-subjects.ts'
export { describeAlert } from './describe-alert.ts'
export { alertSources } from './sources/index.ts'
