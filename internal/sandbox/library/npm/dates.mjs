// Luxon, with the host's table of time zones, the workflow's zone, and English without Intl.
import { DateTime, Duration, FixedOffsetZone, IANAZone, Info, Interval, Settings, Zone } from 'luxon/src/luxon.js';

Settings.defaultZone = natives.zone();
Settings.defaultLocale = 'en-US';
export { DateTime, Duration, FixedOffsetZone, IANAZone, Info, Interval, Settings, Zone };
