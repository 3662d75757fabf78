package io.millrace.simulation;

/** What a posting makes of the row of its account's latest posting. */
enum LatestChange {
    /** The row becomes the posting's, whatever it was. */
    PUT,
    /** Some attributes are set and one is removed; all others stay. */
    SET,
    /** The row is deleted. */
    DELETE,
    /** The row is deleted and set in one go, so that nothing is left of what it was. */
    RENEW
}
