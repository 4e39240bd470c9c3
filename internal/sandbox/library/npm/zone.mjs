// Luxon's IANAZone asks Intl.DateTimeFormat for offsets; this one asks the host.
import { formatOffset } from 'luxon/src/impl/util.js';
import Zone from 'luxon/src/zone.js';

const known = new Map();
export default class IANAZone extends Zone {
  static create(name) {
    if (!known.has(name)) known.set(name, new IANAZone(name));
    return known.get(name);
  }
  static resetCache() { known.clear(); }
  static isValidSpecifier(name) { return this.isValidZone(name); }
  static isValidZone(name) { return typeof name === 'string' && name !== '' && natives.offset(0, name) !== null; }
  constructor(name) {
    super();
    this.zoneName = name;
    this.valid = IANAZone.isValidZone(name);
  }
  get type() { return 'iana'; }
  get name() { return this.zoneName; }
  get isUniversal() { return false; }
  offsetName(ts, { format } = {}) { return format === 'long' || !this.valid ? null : natives.abbreviation(Number(ts), this.zoneName); }
  formatOffset(ts, format) { return formatOffset(this.offset(ts), format); }
  offset(ts) {
    const at = Number(ts);
    return this.valid && Math.abs(at) <= 8.64e15 ? natives.offset(at, this.zoneName) : NaN;
  }
  equals(other) { return other.type === 'iana' && other.name === this.zoneName; }
  get isValid() { return this.valid; }
}
