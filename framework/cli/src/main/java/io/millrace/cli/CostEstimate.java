package io.millrace.cli;

import java.util.Locale;

/**
 * What a run's requests would cost on AWS, from the counts. It includes DynamoDB's reads and writes, Lambda's requests
 * and Kinesis's puts. It leaves out Lambda's duration, Kinesis's shard hours (which a stream costs also when idle),
 * storage and traffic, since a run on a laptop does not tell them.
 *
 * @param readUnits DynamoDB read units
 * @param writeUnits DynamoDB write units
 * @param invocations Lambda requests
 * @param published records put into the stream, each under 25 KB
 */
record CostEstimate(double readUnits, double writeUnits, long invocations, long published) {
    // On-demand prices in us-east-1 in US dollars a million, from aws.amazon.com/dynamodb/pricing/on-demand,
    // aws.amazon.com/lambda/pricing and aws.amazon.com/kinesis/data-streams/pricing.
    static final String PRICES_OF = "us-east-1, on demand, 2025";
    static final double DYNAMODB_WRITE_UNITS = 0.625;
    static final double DYNAMODB_READ_UNITS = 0.125;
    static final double LAMBDA_REQUESTS = 0.20;
    static final double KINESIS_PUT_UNITS = 0.014;

    private static final double MILLION = 1_000_000;

    double dollars() {
        return (readUnits * DYNAMODB_READ_UNITS
                        + writeUnits * DYNAMODB_WRITE_UNITS
                        + invocations * LAMBDA_REQUESTS
                        + published * KINESIS_PUT_UNITS)
                / MILLION;
    }

    /** The estimate in words, for a run over so many records. */
    String describe(long records) {
        String perMillion = records == 0
                ? ""
                : String.format(Locale.ROOT, ", $%.2f a million records", dollars() / records * MILLION);
        return String.format(
                Locale.ROOT,
                "$%.4f%s: DynamoDB requests, Lambda requests and Kinesis puts (%s)",
                dollars(),
                perMillion,
                PRICES_OF);
    }
}
