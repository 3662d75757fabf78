package io.millrace.local.internal.dynamodb;

import java.math.BigDecimal;
import java.time.Duration;

/**
 * Decides whether an item has expired: its attribute is a number of epoch seconds in the past, but not by more than five
 * years, since DynamoDB takes such a value for a mistake.
 */
record Expiry(String attribute, long nowEpochSeconds) {
    static final long AGE_SECONDS_MAX = Duration.ofDays(5 * 365).toSeconds();

    boolean isExpired(MapValue item) {
        return item.get(attribute) instanceof Value.Numeric number
                && number.number().compareTo(BigDecimal.valueOf(nowEpochSeconds)) < 0
                && number.number().compareTo(BigDecimal.valueOf(nowEpochSeconds - AGE_SECONDS_MAX)) > 0;
    }
}
